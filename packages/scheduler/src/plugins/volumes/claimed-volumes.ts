/** The volumes of a Pod that are claims: those that it names, and those that are made for it alone. */
import type { Claim } from "@coxswain/api";
import type { KubeObject } from "@coxswain/machinery";
import { goQuote } from "@coxswain/machinery";
import type { PodInfo } from "../../framework/pod-info.ts";

export interface ClaimedVolume {
  readonly name: string;
  /** Made for this Pod, by the name of the Pod and the volume. */
  readonly isEphemeral: boolean;
}

export function claimedVolumes({ pod, name: podName }: PodInfo): readonly ClaimedVolume[] {
  return (pod.spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): ClaimedVolume[] => {
    if (persistentVolumeClaim !== undefined) return [{ name: persistentVolumeClaim.claimName, isEphemeral: false }];
    return ephemeral === undefined ? [] : [{ name: `${podName}-${name}`, isEphemeral: true }];
  });
}

/** Whether a change of this claim, as queueing hints get it, is a change of one of the Pod's. */
export const usesClaim = (pod: PodInfo, claim: KubeObject | undefined): boolean =>
  pod.namespace === claim?.metadata?.namespace && pod.claims.includes(claim.metadata.name ?? "");

/** Claims that the Pod names itself; not those that are made for it. */
export const namedClaims = ({ pod }: PodInfo): readonly string[] =>
  (pod.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);

export const namesClaim = (pod: PodInfo, claim: KubeObject | undefined): boolean =>
  pod.namespace === claim?.metadata?.namespace && namedClaims(pod).includes(claim.metadata.name ?? "");

/** Kubernetes' reason why a claim that has the right name is not the Pod's; undefined when it is. */
export function foreignClaim({ uid, namespace, name }: PodInfo, { metadata }: Claim): string | undefined {
  if (metadata?.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid) === true) return undefined;
  return `PVC ${namespace}/${metadata?.name} was not created for pod ${namespace}/${name} (pod is not owner)`;
}

/** As a lookup in the API says it. */
export const absent = (resource: string, name: string): string => `${resource} ${goQuote(name)} not found`;
