/**
 * Who owns an object: the garbage collector deletes it with its owners, and a change to it wakes its controller.
 * All of these return a new object and leave the given one alone.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
 */
import { apiVersionOf, type GroupVersionKind, type KubeObject, type OwnerReference, parseApiVersion } from "@coxswain/machinery";

/** The one owner that manages the object. */
export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  object.metadata?.ownerReferences?.find(({ controller }) => controller === true);

/** Whether `owner` is the controller of the object, by uid. */
export const isControlledBy = (object: KubeObject, owner: KubeObject): boolean => {
  const uid = owner.metadata?.uid;
  return uid !== undefined && controllerOf(object)?.uid === uid;
};

/** How an owner reference is made. */
export interface OwnerOptions {
  /** Needed for an owner that does not name its own kind, as those that come from a list. */
  readonly kind?: GroupVersionKind;
  /** The owner's deletion in the foreground waits for this object's. Default: true for a controller. */
  readonly blockOwnerDeletion?: boolean;
}

/** Another controller manages the object already. */
export class AlreadyOwnedError extends Error {
  readonly owner: OwnerReference;
  constructor({ metadata }: KubeObject, owner: OwnerReference) {
    const { namespace = "", name = "" } = metadata ?? {};
    super(`Object ${namespace}/${name} is already owned by another ${owner.kind} controller ${owner.name}`);
    this.name = "AlreadyOwnedError";
    this.owner = owner;
  }
}

/**
 * Makes `owner` the object's controller.
 * @throws AlreadyOwnedError when it has another one
 * @throws TypeError when the two may not be related, or the owner has no kind, name or uid
 */
export function setControllerReference<T extends KubeObject>(object: T, owner: KubeObject, opts: OwnerOptions = {}): T {
  const reference = { ...referenceTo(owner, opts), controller: true, blockOwnerDeletion: opts.blockOwnerDeletion ?? true };
  checkNamespaces(object, owner);
  const existing = controllerOf(object);
  if (existing !== undefined && !namesTheSame(existing, reference)) throw new AlreadyOwnedError(object, existing);
  return withOwner(object, reference);
}

/** Makes `owner` one of the object's owners, without managing it. @throws TypeError as setControllerReference */
export function setOwnerReference<T extends KubeObject>(object: T, owner: KubeObject, opts: OwnerOptions = {}): T {
  checkNamespaces(object, owner);
  const { blockOwnerDeletion } = opts;
  return withOwner(object, { ...referenceTo(owner, opts), ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }) });
}

/** Removes the reference to this owner, by uid; returns the given object when it has none. */
export function removeOwnerReference<T extends KubeObject>(object: T, owner: KubeObject): T {
  const references = object.metadata?.ownerReferences ?? [];
  const kept = references.filter(({ uid }) => uid !== owner.metadata?.uid);
  return kept.length === references.length ? object : withReferences(object, kept);
}

function referenceTo(owner: KubeObject, { kind }: OwnerOptions): OwnerReference {
  const apiVersion = kind === undefined ? owner.apiVersion : apiVersionOf(kind);
  const named = kind?.kind ?? owner.kind;
  const { name, uid } = owner.metadata ?? {};
  if (!apiVersion || !named || !name || !uid) throw new TypeError("an owner needs an apiVersion, a kind, a name and a uid");
  return { apiVersion, kind: named, name, uid };
}

/** The garbage collector looks for owners in the object's own namespace, or among those that are in none. */
function checkNamespaces(object: KubeObject, owner: KubeObject): void {
  const ownerNamespace = owner.metadata?.namespace;
  if (!ownerNamespace) return;
  const namespace = object.metadata?.namespace;
  if (!namespace)
    throw new TypeError(`cluster-scoped resource must not have a namespace-scoped owner, owner's namespace ${ownerNamespace}`);
  if (namespace !== ownerNamespace)
    throw new TypeError(
      `cross-namespace owner references are disallowed, owner's namespace ${ownerNamespace}, obj's namespace ${namespace}`,
    );
}

function withOwner<T extends KubeObject>(object: T, reference: OwnerReference): T {
  const references = object.metadata?.ownerReferences ?? [];
  const at = references.findIndex((existing) => namesTheSame(existing, reference));
  return withReferences(object, at < 0 ? [...references, reference] : references.with(at, reference));
}

const withReferences = <T extends KubeObject>(object: T, ownerReferences: OwnerReference[]): T => ({
  ...object,
  metadata: { ...object.metadata, ownerReferences },
});

/** Of whatever version and uid: an owner that was made again under its name takes its place. */
const namesTheSame = (a: OwnerReference, b: OwnerReference): boolean =>
  a.kind === b.kind && a.name === b.name && groupOf(a.apiVersion) === groupOf(b.apiVersion);

const groupOf = (apiVersion: string): string | undefined => parseApiVersion(apiVersion)?.group;
