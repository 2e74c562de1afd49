/** A Pod's claims, by what they still need. */
import { type Claim, isFullyBound, storageClassOf, type Volume } from "@coxswain/api";
import { goQuote } from "@coxswain/machinery";
import type { PodInfo } from "../../framework/pod-info.ts";
import { type Status, unschedulableAndUnresolvable } from "../../framework/status.ts";
import { absent, claimedVolumes, foreignClaim } from "../volumes/claimed-volumes.ts";
import type { VolumeCache } from "./volume-cache.ts";

export interface PodClaims {
  readonly bound: readonly Claim[];
  /** They get a volume once it is known where the Pod runs; the smallest first. */
  readonly delayed: readonly Claim[];
  /** Volumes that there are for those, by storage class. */
  readonly candidates: ReadonlyMap<string, readonly Volume[]>;
}

/** A status when the Pod cannot run anywhere as its claims are now; undefined when it has none. */
export function podClaims(pod: PodInfo, cache: VolumeCache): PodClaims | Status | undefined {
  if (pod.claims.length === 0) return undefined;
  const claims: Claim[] = [];
  for (const { name, isEphemeral } of claimedVolumes(pod)) {
    const claim = cache.claim(pod.namespace, name);
    const problem = claim === undefined ? missing(name, isEphemeral) : problemOf(claim, pod, isEphemeral);
    if (problem !== undefined) return unschedulableAndUnresolvable(problem);
    if (claim !== undefined) claims.push(claim);
  }
  const unbound = claims.filter((claim) => !isFullyBound(claim));
  const isDelayed = (claim: Claim): boolean => (claim.spec?.volumeName ?? "") === "" && cache.waitsForConsumer(claim);
  if (!unbound.every(isDelayed)) return unboundImmediate;
  const classes = new Set(unbound.map(storageClassOf));
  return {
    bound: claims.filter(isFullyBound),
    delayed: unbound,
    candidates: new Map([...classes].map((name) => [name, cache.volumesOfClass(name)])),
  };
}

const unboundImmediate = unschedulableAndUnresolvable("pod has unbound immediate PersistentVolumeClaims");

const missing = (name: string, isEphemeral: boolean): string =>
  isEphemeral
    ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${goQuote(name)}`
    : absent("persistentvolumeclaim", name);

function problemOf(claim: Claim, pod: PodInfo, isEphemeral: boolean): string | undefined {
  const { metadata, spec, status } = claim;
  const quoted = goQuote(metadata?.name ?? "");
  if (status?.phase === "Lost")
    return `persistentvolumeclaim ${quoted} bound to non-existent persistentvolume ${goQuote(spec?.volumeName ?? "")}`;
  if (metadata?.deletionTimestamp !== undefined) return `persistentvolumeclaim ${quoted} is being deleted`;
  return isEphemeral ? foreignClaim(pod, claim) : undefined;
}
