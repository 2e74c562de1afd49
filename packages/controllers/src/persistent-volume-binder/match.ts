/** Which volume a claim gets. */
import {
  type Claim,
  hasAccessModes,
  isBoundTo,
  isFreeFor,
  isLargeEnough,
  sameVolumeAttributes,
  sameVolumeMode,
  storageClassOf,
  type Volume,
  volumeCapacity,
} from "@coxswain/api";

/** A volume that is meant for the claim, or else the smallest that fits, with as few ways to use it as possible. */
export function bestVolume(claim: Claim, volumes: readonly Volume[], waitsForConsumer: boolean): Volume | undefined {
  const fitting = volumes.filter(
    (volume) => hasAccessModes(volume, claim) && sameVolumeMode(volume, claim) && isLargeEnough(volume, claim),
  );
  const alive = fitting.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  const meant = alive.find((volume) => isBoundTo(volume, claim));
  // Where a Pod has to choose first, only the scheduler knows which volumes its node reaches.
  if (meant !== undefined || waitsForConsumer) return meant;
  const free = alive.filter((volume) => isFreeFor(volume, claim));
  return free.toSorted((a, b) => modesOf(a) - modesOf(b) || volumeCapacity(a).compare(volumeCapacity(b)) || byName(a, b))[0];
}

/** Kubernetes' reason why a volume that the claim asks for by name is not the claim's; undefined when it may be. */
export function mismatchOf(volume: Volume, claim: Claim): string | undefined {
  if (volume.metadata?.deletionTimestamp !== undefined) return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name)}`;
  if (!isLargeEnough(volume, claim)) return "requested PV is too small";
  if (storageClassOf(volume) !== storageClassOf(claim)) return "storageClassName does not match";
  if (!sameVolumeAttributes(volume, claim)) return "volumeAttributesClassName does not match";
  if (!sameVolumeMode(volume, claim)) return "incompatible volumeMode";
  return hasAccessModes(volume, claim) ? undefined : "incompatible accessMode";
}

const modesOf = ({ spec }: Volume): number => spec?.accessModes?.length ?? 0;

const byName = (a: Volume, b: Volume): number => ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1);
