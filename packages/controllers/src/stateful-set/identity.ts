/**
 * What makes a Pod the one of its ordinal: its name, its labels, and its volumes.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#pod-identity
 */
import type { appsV1, coreV1 } from "@coxswain/api";
import type { Pod } from "../shared/pods/pod-state.ts";

export type StatefulSet = appsV1.StatefulSet;
export type VolumeClaim = coreV1.PersistentVolumeClaim;

const podNameLabel = "statefulset.kubernetes.io/pod-name";
const podIndexLabel = "apps.kubernetes.io/pod-index";
const revisionLabel = "controller-revision-hash";

export const nameOf = ({ metadata }: StatefulSet | Pod): string => metadata?.name ?? "";

export const wantedOf = ({ spec }: StatefulSet): number => spec?.replicas ?? 1;

export const startOf = ({ spec }: StatefulSet): number => spec?.ordinals?.start ?? 0;

interface Place {
  readonly parent: string;
  readonly ordinal: number;
}

/** As its name says; undefined when no StatefulSet can have named it. */
export function placeOf(pod: Pod): Place | undefined {
  const name = nameOf(pod);
  const dash = name.lastIndexOf("-");
  const digits = name.slice(dash + 1);
  if (dash < 0 || !/^[0-9]+$/.test(digits)) return undefined;
  const ordinal = Number(digits);
  return ordinal <= 0x7fffffff ? { parent: name.slice(0, dash), ordinal } : undefined;
}

export const isMember = (set: StatefulSet, pod: Pod): boolean => placeOf(pod)?.parent === nameOf(set);

/** Whether the set wants a Pod of its ordinal. */
export function isInRange(set: StatefulSet, pod: Pod): boolean {
  const ordinal = placeOf(pod)?.ordinal ?? -1;
  return ordinal >= startOf(set) && ordinal < startOf(set) + wantedOf(set);
}

/** The name of the ControllerRevision whose template it was made of. */
export const revisionOf = ({ metadata }: Pod): string => metadata?.labels?.[revisionLabel] ?? "";

export const podNameAt = (set: StatefulSet, ordinal: number): string => `${nameOf(set)}-${ordinal}`;

export const identityMatches = (set: StatefulSet, pod: Pod): boolean =>
  nameOf(pod) === podNameAt(set, placeOf(pod)?.ordinal ?? -1) && pod.metadata?.labels?.[podNameLabel] === nameOf(pod);

export function withIdentity(set: StatefulSet, pod: Pod, ordinal: number): Pod {
  const name = podNameAt(set, ordinal);
  const labels = { ...pod.metadata?.labels, [podNameLabel]: name, [podIndexLabel]: `${ordinal}` };
  return { ...pod, metadata: { ...pod.metadata, name, namespace: set.metadata?.namespace ?? "", labels } };
}

export const withRevision = (pod: Pod, revision: string): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, labels: { ...pod.metadata?.labels, [revisionLabel]: revision } },
});

/** The claims of the Pod of this ordinal, as they are to be created. */
export const claimsAt = (set: StatefulSet, ordinal: number): VolumeClaim[] =>
  (set.spec?.volumeClaimTemplates ?? []).map((template) => ({
    ...template,
    metadata: {
      ...template.metadata,
      name: `${template.metadata?.name}-${podNameAt(set, ordinal)}`,
      namespace: set.metadata?.namespace ?? "",
      labels: { ...template.metadata?.labels, ...set.spec?.selector?.matchLabels },
    },
  }));

export const claimsOf = (set: StatefulSet, pod: Pod): VolumeClaim[] => claimsAt(set, placeOf(pod)?.ordinal ?? -1);

export const storageMatches = (set: StatefulSet, pod: Pod): boolean =>
  volumesAt(set, placeOf(pod)?.ordinal ?? -1).every(({ name, persistentVolumeClaim }) => {
    const volume = pod.spec?.volumes?.find((one) => one.name === name);
    return volume?.persistentVolumeClaim?.claimName === persistentVolumeClaim?.claimName;
  });

/** Volumes of the template yield to those of claims of the same name. */
export function withStorage(set: StatefulSet, pod: Pod, ordinal: number): Pod {
  const claimed = volumesAt(set, ordinal);
  if (claimed.length === 0 || pod.spec === undefined) return pod;
  const others = (pod.spec.volumes ?? []).filter(({ name }) => !claimed.some((volume) => volume.name === name));
  return { ...pod, spec: { ...pod.spec, volumes: [...claimed, ...others] } };
}

const volumesAt = (set: StatefulSet, ordinal: number): coreV1.Volume[] =>
  claimsAt(set, ordinal).map(({ metadata }, i) => ({
    name: set.spec?.volumeClaimTemplates?.[i]?.metadata?.name ?? "",
    persistentVolumeClaim: { claimName: metadata?.name ?? "" },
  }));
