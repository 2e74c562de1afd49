/** The volume behind a claim of a Pod. @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/ */
import type { coreV1 } from "@coxswain/api";
import { type Client, isControlledBy, persistentVolumeClaims, persistentVolumes } from "@coxswain/client";
import { messageOf } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";

export interface Claim {
  readonly name: string;
  /** It was made for this Pod alone. */
  readonly ephemeral: boolean;
  readonly readOnly: boolean;
}

export interface ClaimedVolume {
  readonly volume: coreV1.PersistentVolume;
  readonly readOnly: boolean;
  readonly isDevice: boolean;
}

/** Undefined for a volume that is there without a claim. */
export function claimOf({ metadata }: Pod, { name, persistentVolumeClaim: claim, ephemeral }: coreV1.Volume): Claim | undefined {
  if (claim !== undefined) return { name: claim.claimName, ephemeral: false, readOnly: claim.readOnly === true };
  return ephemeral === undefined ? undefined : { name: `${metadata?.name}-${name}`, ephemeral: true, readOnly: false };
}

/** @throws Error in Kubernetes' words while there is no volume to be had */
export async function claimedVolume(
  client: Client,
  pod: Pod,
  { name, ephemeral, readOnly }: Claim,
  signal: AbortSignal,
): Promise<ClaimedVolume> {
  const namespace = pod.metadata?.namespace ?? "";
  try {
    const claim = await boundClaim(client, namespace, name, signal);
    if (ephemeral && !isControlledBy(claim, pod)) throw new NotOwned(namespace, name, pod);
    const volume = await volumeOf(client, claim, signal);
    return { volume, readOnly, isDevice: volume.spec?.volumeMode === "Block" };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NotOwned) throw error;
    throw new Error(`error processing PVC ${namespace}/${name}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Another's claim has the name. */
class NotOwned extends Error {
  constructor(namespace: string, name: string, { metadata }: Pod) {
    super(`PVC ${namespace}/${name} was not created for pod ${metadata?.namespace}/${metadata?.name} (pod is not owner)`);
  }
}

async function boundClaim(client: Client, namespace: string, name: string, signal: AbortSignal): Promise<coreV1.PersistentVolumeClaim> {
  const claim = await fetched(client.resource(persistentVolumeClaims, namespace).get(name, { signal }), "PVC");
  const { deletionTimestamp, finalizers = [] } = claim.metadata ?? {};
  if (deletionTimestamp !== undefined && !finalizers.includes("kubernetes.io/pvc-protection")) throw new Error("PVC is being deleted");
  if (claim.status?.phase !== "Bound") throw new Error("PVC is not bound");
  if (!claim.spec?.volumeName) throw new Error("PVC has empty pvc.Spec.VolumeName");
  return claim;
}

async function volumeOf(client: Client, claim: coreV1.PersistentVolumeClaim, signal: AbortSignal): Promise<coreV1.PersistentVolume> {
  const name = claim.spec?.volumeName ?? "";
  const volume = await fetched(client.resource(persistentVolumes).get(name, { signal }), `PV ${name}`);
  const { claimRef } = volume.spec ?? {};
  if (claimRef === undefined)
    throw new Error(`found PV object ${name} but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`);
  const uid = claim.metadata?.uid ?? "";
  if (claimRef.uid !== uid)
    throw new Error(`found PV object ${name} but its pv.Spec.ClaimRef.UID ${claimRef.uid} does not point to claim.UID ${uid}`);
  return volume;
}

async function fetched<T>(answer: Promise<T>, what: string): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new Error(`failed to fetch ${what} from API server: ${messageOf(error)}`, { cause: error });
  }
}
