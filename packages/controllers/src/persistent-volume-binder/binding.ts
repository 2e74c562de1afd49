/** What the controller writes into volumes and claims that come together or part. */
import { bindCompleted, boundByController, type Claim, definedFields, hasAnnotation, type Volume, withAnnotation } from "@coxswain/api";

/** The claim with its end of the binding, or itself where it has that. */
export function claimBoundTo(claim: Claim, volume: Volume): Claim {
  const volumeName = volume.metadata?.name ?? "";
  const named =
    claim.spec?.volumeName === volumeName ? claim : withAnnotation({ ...claim, spec: { ...claim.spec, volumeName } }, boundByController);
  return hasAnnotation(named, bindCompleted) ? named : withAnnotation(named, bindCompleted);
}

/** Available, or reserved for this claim by its creator. */
export function unboundVolume(volume: Volume): Volume {
  const { claimRef, ...spec } = volume.spec ?? {};
  if (!hasAnnotation(volume, boundByController)) {
    const { uid: _, ...kept } = claimRef ?? {};
    return { ...volume, spec: { ...spec, claimRef: kept } };
  }
  const { [boundByController]: _, ...annotations } = volume.metadata?.annotations ?? {};
  const { annotations: __, ...metadata } = volume.metadata ?? {};
  return { ...volume, metadata: { ...metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) }, spec };
}

/** What the status of a bound claim says. A size that the claim has been given before is not for this controller to change. */
export function boundStatus(claim: Claim, { spec = {} }: Volume): NonNullable<Claim["status"]> {
  const { status = {} } = claim;
  const becomesBound = status.phase !== "Bound";
  return {
    ...status,
    phase: "Bound",
    ...definedFields({
      accessModes: spec.accessModes,
      capacity: becomesBound ? spec.capacity : status.capacity,
      currentVolumeAttributesClassName: becomesBound ? spec.volumeAttributesClassName : status.currentVolumeAttributesClassName,
    }),
  };
}

/** What the status of a claim without a volume says. */
export function unboundStatus({ status = {} }: Claim, phase: "Pending" | "Lost"): NonNullable<Claim["status"]> {
  const { accessModes: _, capacity: __, ...kept } = status;
  return { ...kept, phase };
}
