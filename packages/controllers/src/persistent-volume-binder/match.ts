/** Which volume a claim gets. */
import { labelSelectorFromObject, parseQuantity, type Quantity, quantityOf } from "@coxswain/machinery";
import { type Claim, isBoundTo, type Volume } from "./binding.ts";

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

export const classOf = ({ metadata, spec }: Volume | Claim): string =>
  metadata?.annotations?.[classAnnotation] ?? spec?.storageClassName ?? "";

/** Also the empty class is one. */
export const hasClass = ({ metadata, spec }: Claim): boolean =>
  metadata?.annotations?.[classAnnotation] !== undefined || (spec?.storageClassName ?? undefined) !== undefined;

/** A volume that is meant for the claim, or else the smallest that fits, with as few ways to use it as possible. */
export function bestVolume(claim: Claim, volumes: readonly Volume[], waitsForConsumer: boolean): Volume | undefined {
  const fitting = volumes.filter((volume) => hasModes(volume, claim) && sameMode(volume, claim) && isLargeEnough(volume, claim));
  const alive = fitting.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  const meant = alive.find((volume) => isBoundTo(volume, claim));
  // Where a Pod has to choose first, only who places it can tell which volume is in reach.
  if (meant !== undefined || waitsForConsumer) return meant;
  const free = alive.filter((volume) => isFree(volume) && isSelected(volume, claim));
  return free.toSorted((a, b) => modesOf(a) - modesOf(b) || capacityOf(a).compare(capacityOf(b)) || byName(a, b))[0];
}

/** Kubernetes' reason why a volume that the claim asks for by name is not the claim's; undefined when it may be. */
export function mismatchOf(volume: Volume, claim: Claim): string | undefined {
  if (volume.metadata?.deletionTimestamp !== undefined) return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name)}`;
  if (!isLargeEnough(volume, claim)) return "requested PV is too small";
  if (classOf(volume) !== classOf(claim)) return "storageClassName does not match";
  if (!sameAttributes(volume, claim)) return "volumeAttributesClassName does not match";
  if (!sameMode(volume, claim)) return "incompatible volumeMode";
  return hasModes(volume, claim) ? undefined : "incompatible accessMode";
}

export const sameMode = (volume: Volume, claim: Claim): boolean =>
  (volume.spec?.volumeMode ?? "Filesystem") === (claim.spec?.volumeMode ?? "Filesystem");

const isFree = ({ spec, status }: Volume): boolean => spec?.claimRef === undefined && status?.phase === "Available";

function isSelected(volume: Volume, claim: Claim): boolean {
  if (classOf(volume) !== classOf(claim) || !sameAttributes(volume, claim)) return false;
  const { selector } = claim.spec ?? {};
  return selector === undefined || selector === null || labelSelectorFromObject(selector).matches(volume.metadata?.labels);
}

const sameAttributes = (volume: Volume, claim: Claim): boolean =>
  (volume.spec?.volumeAttributesClassName ?? "") === (claim.spec?.volumeAttributesClassName ?? "");

const hasModes = (volume: Volume, claim: Claim): boolean =>
  (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode));

const modesOf = ({ spec }: Volume): number => spec?.accessModes?.length ?? 0;

const none = quantityOf(0);
const capacityOf = ({ spec }: Volume): Quantity => parseQuantity(spec?.capacity?.storage ?? "") ?? none;
const isLargeEnough = (volume: Volume, { spec }: Claim): boolean =>
  capacityOf(volume).compare(parseQuantity(spec?.resources?.requests?.storage ?? "") ?? none) >= 0;

const byName = (a: Volume, b: Volume): number => ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1);
