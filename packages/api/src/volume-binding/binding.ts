/**
 * The pointer that a volume and a claim have to each other. The volume's comes first: it is what keeps others away. The
 * annotations say which end the controller has made, so that it undoes no more than that.
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#binding
 */
import type * as coreV1 from "@coxswain/types/core-v1";

/** A PersistentVolume, bound to a claim or not. */
export type Volume = coreV1.PersistentVolume;
/** A PersistentVolumeClaim, bound to a volume or not. */
export type Claim = coreV1.PersistentVolumeClaim;

/** The annotation of a volume or claim whose end of the binding the controller has made, which may undo it. */
export const boundByController = "pv.kubernetes.io/bound-by-controller";
/** The annotation of a claim both ends of whose binding have been made. */
export const bindCompleted = "pv.kubernetes.io/bind-completed";
/** The annotation of a volume with the name of the provisioner that made it. */
export const provisionedBy = "pv.kubernetes.io/provisioned-by";
/** On a claim: where the Pod is to run that uses it first. */
export const selectedNode = "volume.kubernetes.io/selected-node";

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/** The name of the storage class of a volume or claim, of the old annotation first; "" for none. */
export const storageClassOf = ({ metadata, spec }: Volume | Claim): string =>
  metadata?.annotations?.[classAnnotation] ?? spec?.storageClassName ?? "";

/** Also the empty class is one. */
export const hasStorageClass = ({ metadata, spec }: Claim): boolean =>
  metadata?.annotations?.[classAnnotation] !== undefined || (spec?.storageClassName ?? undefined) !== undefined;

/** Whether a volume or claim has the annotation, whatever its value. */
export const hasAnnotation = ({ metadata }: Volume | Claim, name: string): boolean => metadata?.annotations?.[name] !== undefined;

/** Both ends are made. */
export const isFullyBound = (claim: Claim): boolean => (claim.spec?.volumeName ?? "") !== "" && hasAnnotation(claim, bindCompleted);

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
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", ...definedFields({ namespace, name, uid, resourceVersion }) };
  const next = { ...volume, spec: { ...volume.spec, claimRef } };
  return own ? next : withAnnotation(next, boundByController);
}

/** A copy of the volume or claim with one annotation more; the rest is shared. */
export function withAnnotation<T extends Volume | Claim>(object: T, name: string, value = "yes"): T {
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata?.annotations, [name]: value } } };
}

type Defined<O> = { [K in keyof O]?: Exclude<O[K], undefined> };

/** The fields that are not undefined, for objects that must not have undefined ones. */
export const definedFields = <O extends object>(fields: O): Defined<O> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<O>;
