import type { Claim, Volume } from "@coxswain/api";
import { persistentVolumeClaims, type ReconcileContext, unlessNotFound } from "@coxswain/client";
import type { ObservedVolume } from "./plan.ts";

export async function observe(ctx: ReconcileContext<Volume>, volume: Volume): Promise<ObservedVolume> {
  return { volume, claim: await claimOf(volume, ctx) };
}

/** The claim that the volume names, with its uid. The server is asked before it counts as gone: the data on the volume may be deleted then. */
async function claimOf({ spec, status }: Volume, { cache, client, signal }: ReconcileContext<Volume>): Promise<Claim | undefined> {
  const { namespace, name = "", uid } = spec?.claimRef ?? {};
  if (uid === undefined || uid === "") return undefined;
  const known = cache(persistentVolumeClaims).get({ namespace, name });
  if (known?.metadata?.uid === uid) return known;
  if (status?.phase === "Released" || status?.phase === "Failed") return undefined;
  const claim = client.resource(persistentVolumeClaims, namespace).get(name, { signal });
  const found = await unlessNotFound(claim, persistentVolumeClaims, name);
  return found?.metadata?.uid === uid ? found : undefined;
}
