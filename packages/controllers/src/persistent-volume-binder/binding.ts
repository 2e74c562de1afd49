/**
 * The pointer that a volume and a claim have to each other. The volume's comes first: it is what keeps others away. The
 * annotations tell which end the controller has made, so that it undoes no more than that.
 */
import type { coreV1 } from "@coxswain/api";

export type Volume = coreV1.PersistentVolume;
export type Claim = coreV1.PersistentVolumeClaim;

export const boundByController = "pv.kubernetes.io/bound-by-controller";
export const bindCompleted = "pv.kubernetes.io/bind-completed";
export const provisionedBy = "pv.kubernetes.io/provisioned-by";
export const selectedNode = "volume.kubernetes.io/selected-node";

export const hasAnnotation = ({ metadata }: Volume | Claim, name: string): boolean => metadata?.annotations?.[name] !== undefined;

/** Whether the volume is this claim's or waits for it; a claim of the same name that was made later is another one. */
export function isBoundTo({ spec }: Volume, { metadata = {} }: Claim): boolean {
  const { namespace, name, uid = "" } = spec?.claimRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && (uid === "" || uid === metadata.uid);
}

/** The volume with its end of the binding, or itself where it has that. */
export function volumeBoundTo(volume: Volume, claim: Claim): Volume {
  const own = isBoundTo(volume, claim);
  if (own && volume.spec?.claimRef?.uid === claim.metadata?.uid) return volume;
  const { namespace, name, uid, resourceVersion } = claim.metadata ?? {};
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", ...defined({ namespace, name, uid, resourceVersion }) };
  const next = { ...volume, spec: { ...volume.spec, claimRef } };
  return own ? next : annotated(next, boundByController);
}

/** The claim with its end of the binding, or itself where it has that. */
export function claimBoundTo(claim: Claim, volume: Volume): Claim {
  const volumeName = volume.metadata?.name ?? "";
  const named =
    claim.spec?.volumeName === volumeName ? claim : annotated({ ...claim, spec: { ...claim.spec, volumeName } }, boundByController);
  return hasAnnotation(named, bindCompleted) ? named : annotated(named, bindCompleted);
}

/** Free for anybody, or for the claim that its maker had in mind. */
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
    ...defined({
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

export function annotated<T extends Volume | Claim>(object: T, name: string, value = "yes"): T {
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata?.annotations, [name]: value } } };
}

type Defined<O> = { [K in keyof O]?: Exclude<O[K], undefined> };

const defined = <O extends object>(fields: O): Defined<O> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<O>;
