/** Carries out what was decided about a Pod's claims, and waits until volumes and claims are together. */
import { type Claim, isInReach, selectedNode, type Volume } from "@coxswain/api";
import { type Client, compareVersions, type Informer, persistentVolumeClaims, persistentVolumes } from "@coxswain/client";
import { DisposableStack, goQuote, type KubeObject } from "@coxswain/machinery";
import type { Node } from "../../framework/node-info.ts";
import { absent } from "../volumes/claimed-volumes.ts";
import type { VolumePlan } from "./find-volumes.ts";
import type { VolumeCache } from "./volume-cache.ts";

export interface BindContext {
  readonly client: Client;
  readonly cache: VolumeCache;
  /** As it is now; undefined when it has gone. */
  readonly node: () => Node | undefined;
  readonly nodeName: string;
  /** Kubernetes' reason when the Pod has gone. */
  readonly podProblem: () => string | undefined;
  /** Milliseconds. */
  readonly timeoutMs: number;
}

/** The plan has the objects as they are to be. @throws Error with Kubernetes' text, StatusError */
export async function bindVolumes(plan: VolumePlan, ctx: BindContext, signal: AbortSignal): Promise<void> {
  const { client, cache } = ctx;
  const volumes: { claim: Claim; volume: Volume }[] = [];
  for (const { claim, volume } of plan.bind) {
    const written = await client.resource(persistentVolumes).update(volume, { signal });
    cache.volumes.take(written);
    volumes.push({ claim, volume: written });
  }
  const claims: Claim[] = [];
  for (const claim of plan.provision) {
    const written = await client.resource(persistentVolumeClaims, claim.metadata?.namespace).update(claim, { signal });
    cache.claims.take(written);
    claims.push(written);
  }
  try {
    const isDone = () => volumes.every((one) => isBinding(one, ctx)) && claims.every((claim) => isProvisioned(claim, ctx));
    await until(() => checked(isDone, ctx), [cache.claims, cache.volumes], ctx, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof BindingUndone ? new Error(`binding volumes: ${error.message}`) : error;
  }
}

class BindingUndone extends Error {}

function checked(isDone: () => boolean, { node, nodeName, podProblem }: BindContext): boolean {
  if (node() === undefined) throw new BindingUndone(`failed to get node ${goQuote(nodeName)}: ${absent("node", nodeName)}`);
  const problem = podProblem();
  if (problem !== undefined) throw new BindingUndone(`pod does not exist any more: ${problem}`);
  return isDone();
}

/** Kubernetes asks for all of it each time, so that what was undone is seen. */
function isBinding({ claim, volume: written }: { claim: Claim; volume: Volume }, ctx: BindContext): boolean {
  const volume = current(ctx.cache.volumes, written, "persistentvolume", "failed to check binding");
  if (isNewer(written, volume)) return false;
  checkReach(volume, ctx);
  if ((volume.spec?.claimRef?.uid ?? "") === "") throw new BindingUndone(`ClaimRef got reset for pv ${quotedName(volume)}`);
  return ctx.cache.isBound(claim);
}

function isProvisioned(written: Claim, ctx: BindContext): boolean {
  const claim = current(ctx.cache.claims, written, "persistentvolumeclaim", "failed to check provisioning pvc");
  if (isNewer(written, claim)) return false;
  if (claim.metadata?.annotations === undefined) throw new BindingUndone(`selectedNode annotation reset for PVC ${quotedName(claim)}`);
  // A provisioner that cannot serve the node takes the annotation away: the Pod has to look for another.
  if (claim.metadata.annotations[selectedNode] !== ctx.nodeName)
    throw new BindingUndone(`provisioning failed for PVC ${quotedName(claim)}`);
  const { volumeName = "" } = claim.spec ?? {};
  if (volumeName !== "") {
    const volume = ctx.cache.volumes.lister.get({ name: volumeName });
    if (volume === undefined) return false;
    checkReach(volume, ctx);
  }
  return ctx.cache.isBound(claim);
}

function current<T extends KubeObject>({ lister }: Informer<T>, { metadata }: T, resource: string, doing: string): T {
  const { namespace, name = "" } = metadata ?? {};
  const object = lister.get({ namespace, name });
  if (object === undefined) throw new BindingUndone(`${doing}: ${absent(resource, name)}`);
  return object;
}

const isNewer = (a: KubeObject, b: KubeObject): boolean =>
  (compareVersions(a.metadata?.resourceVersion, b.metadata?.resourceVersion) ?? 0) > 0;

const quotedName = ({ metadata }: KubeObject): string => goQuote(metadata?.name ?? "");

function checkReach(volume: Volume, { node, nodeName }: BindContext): void {
  const there = node();
  if (there !== undefined && !isInReach(volume, there))
    throw new BindingUndone(
      `pv ${quotedName(volume)} node affinity doesn't match node ${goQuote(nodeName)}: no matching NodeSelectorTerms`,
    );
}

/** Looks again whenever one of the caches has got something. */
async function until(
  isDone: () => boolean,
  informers: readonly Pick<Informer, "onProgress">[],
  { client, timeoutMs }: Pick<BindContext, "client" | "timeoutMs">,
  signal: AbortSignal,
): Promise<void> {
  using stack = new DisposableStack();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const check = (): void => {
    try {
      if (isDone()) resolve();
    } catch (error) {
      reject(error);
    }
  };
  for (const informer of informers) stack.use(informer.onProgress(check));
  stack.use(client.clock.schedule(timeoutMs, () => reject(new BindingUndone("context deadline exceeded"))));
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  stack.defer(() => signal.removeEventListener("abort", onAbort));
  signal.throwIfAborted();
  check();
  await promise;
}
