/** Which claims a volume can serve, and from where it is in reach. */
import { labelSelectorFromObject, parseQuantity, type Quantity, quantityOf } from "@coxswain/machinery";
import type * as coreV1 from "@coxswain/types/core-v1";
import { type NodeTest, requiredNodes } from "../node-matching/node-affinity.ts";
import { type Claim, isBoundTo, storageClassOf, type Volume } from "./binding.ts";

/** Whether a volume is a filesystem or a block device, as the claim wants it. */
export const sameVolumeMode = (volume: Volume, claim: Claim): boolean =>
  (volume.spec?.volumeMode ?? "Filesystem") === (claim.spec?.volumeMode ?? "Filesystem");

/** Whether a volume has the VolumeAttributesClass that the claim asks for. */
export const sameVolumeAttributes = (volume: Volume, claim: Claim): boolean =>
  (volume.spec?.volumeAttributesClassName ?? "") === (claim.spec?.volumeAttributesClassName ?? "");

/** Whether a volume can be mounted in all ways that the claim asks for. */
export const hasAccessModes = (volume: Volume, claim: Claim): boolean =>
  (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode));

/** Whether a volume is bound to no claim, and of the kind that this one asks for. */
export function isFreeFor(volume: Volume, claim: Claim): boolean {
  const { spec, status } = volume;
  if (spec?.claimRef !== undefined || status?.phase !== "Available") return false;
  if (storageClassOf(volume) !== storageClassOf(claim) || !sameVolumeAttributes(volume, claim)) return false;
  const { selector } = claim.spec ?? {};
  return selector === undefined || selector === null || labelSelectorFromObject(selector).matches(volume.metadata?.labels);
}

const none = quantityOf(0);

/** How much storage a volume has; 0 where it does not say. */
export const volumeCapacity = ({ spec }: Volume): Quantity => parseQuantity(spec?.capacity?.storage ?? "") ?? none;

/** How much storage a claim asks for; 0 where it does not say. */
export const requestedStorage = ({ spec }: Claim): Quantity => parseQuantity(spec?.resources?.requests?.storage ?? "") ?? none;

/** Whether a volume has as much storage as the claim asks for. */
export const isLargeEnough = (volume: Volume, claim: Claim): boolean => volumeCapacity(volume).compare(requestedStorage(claim)) >= 0;

const reach = new WeakMap<Volume, NodeTest>();

/** Whether Pods on the Node can use the volume. Only the Node's labels count. */
export function isInReach(volume: Volume, node: coreV1.Node): boolean {
  let test = reach.get(volume);
  if (test === undefined) {
    const required = volume.spec?.nodeAffinity?.required;
    test =
      required === undefined
        ? () => true
        : requiredNodes({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } });
    reach.set(volume, test);
  }
  return test(node);
}

/**
 * The volume that a claim gets on this Node: one that is meant for it, or else the smallest that fits. Those in `taken`
 * are other claims' of the same Pod.
 */
export function volumeInReach(claim: Claim, volumes: readonly Volume[], node: coreV1.Node, taken: ReadonlySet<string>): Volume | undefined {
  let best: Volume | undefined;
  for (const volume of volumes) {
    if (volume.metadata?.deletionTimestamp !== undefined || taken.has(volume.metadata?.name ?? "")) continue;
    if (!sameVolumeMode(volume, claim) || !sameVolumeAttributes(volume, claim) || !isLargeEnough(volume, claim)) continue;
    if (isBoundTo(volume, claim)) return isInReach(volume, node) ? volume : undefined;
    if (!isFreeFor(volume, claim) || !hasAccessModes(volume, claim) || !isInReach(volume, node)) continue;
    if (best === undefined || volumeCapacity(best).compare(volumeCapacity(volume)) > 0) best = volume;
  }
  return best;
}
