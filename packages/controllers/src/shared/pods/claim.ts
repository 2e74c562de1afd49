/**
 * Makes what a selector chooses a controller's own: adopts what has no controller and releases what the selector
 * no longer chooses. Serves Pods, ReplicaSets and ControllerRevisions alike.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
 */
import { type Client, controllerOf, isInvalid, isObjectNotFound, type ResourceRef, unlessNotFound } from "@coxswain/client";
import { apiVersionOf, type KubeObject, type LabelSelector, type OwnerReference } from "@coxswain/machinery";

/** What to do about each of some objects; those of other controllers appear nowhere. */
export interface ClaimPlan<T> {
  /** Its own, and chosen. */
  readonly owned: readonly T[];
  /** Without a controller, and selected. */
  readonly adopt: readonly T[];
  /** Its own, and no longer chosen. */
  readonly release: readonly T[];
}

/** Who is on the way out neither takes nor gives; who is asked to go is not taken. */
export function planClaims<T extends KubeObject>(owner: KubeObject, selector: LabelSelector, candidates: readonly T[]): ClaimPlan<T> {
  const owned: T[] = [];
  const adopt: T[] = [];
  const release: T[] = [];
  const acts = owner.metadata?.deletionTimestamp === undefined;
  for (const object of candidates) {
    const controller = controllerOf(object);
    const isChosen = selector.matches(object.metadata?.labels);
    if (controller === undefined) {
      const isHere = object.metadata?.namespace === owner.metadata?.namespace;
      if (acts && isChosen && isHere && object.metadata?.deletionTimestamp === undefined) adopt.push(object);
    } else if (controller.uid === owner.metadata?.uid) {
      if (isChosen) owned.push(object);
      else if (acts) release.push(object);
    }
  }
  return { owned, adopt, release };
}

export interface Claims<T extends KubeObject, O extends KubeObject> {
  readonly client: Client;
  /** Of what is claimed. */
  readonly ref: ResourceRef<T>;
  readonly owner: O;
  readonly ownerRef: ResourceRef<O>;
  readonly selector: LabelSelector;
  /** What might be the owner's; from a cache. */
  readonly candidates: readonly T[];
  /** Put on what is taken in, and taken off what is let go. */
  readonly finalizers?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Resolves with all that is the owner's now. Before the first adoption the owner itself is read from the server: the cache may not
 * show yet that it is being deleted, and whoever is would orphan again what it takes.
 * @throws AggregateError when something could not be taken or let go, after the others have been
 */
export async function claim<T extends KubeObject, O extends KubeObject>(claims: Claims<T, O>): Promise<T[]> {
  const { owned, adopt, release } = planClaims(claims.owner, claims.selector, claims.candidates);
  if (adopt.length === 0 && release.length === 0) return [...owned];
  const errors: unknown[] = [];
  const attempt = (work: Promise<T | undefined>): Promise<T | undefined> =>
    work.catch((error: unknown) => {
      errors.push(error);
      return undefined;
    });
  const mayAdopt = adopt.length === 0 ? undefined : checkOwner(claims);
  const adopted = await Promise.all(adopt.map((object) => attempt(adoptOne(claims, object, mayAdopt))));
  await Promise.all(release.map((object) => attempt(releaseOne(claims, object))));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, `[${errors.map((error) => String(error)).join(", ")}]`);
  return [...owned, ...adopted.filter((object) => object !== undefined)];
}

/** As controllers name themselves in what they make. */
export const controllerReference = (owner: KubeObject, ref: ResourceRef): OwnerReference => ({
  apiVersion: apiVersionOf(ref),
  kind: ref.kind,
  name: owner.metadata?.name ?? "",
  uid: owner.metadata?.uid ?? "",
  controller: true,
  blockOwnerDeletion: true,
});

/** @throws Error when it is gone, or on the way */
async function checkOwner<O extends KubeObject>({ client, ownerRef, owner, signal }: Claims<KubeObject, O>): Promise<void> {
  const { namespace, name = "", uid } = owner.metadata ?? {};
  const { metadata } = await client.resource(ownerRef).get({ namespace, name }, { signal });
  const which = `${namespace}/${name}`;
  if (metadata?.uid !== uid) throw new Error(`original ${ownerRef.kind} ${which} is gone: got uid ${metadata?.uid}, wanted ${uid}`);
  if (metadata?.deletionTimestamp !== undefined) throw new Error(`${which} has just been deleted at ${metadata.deletionTimestamp}`);
}

/** Resolves with what it is now, or undefined when it is gone. The uid in the patch refuses another of its name. */
async function adoptOne<T extends KubeObject, O extends KubeObject>(
  { client, ref, owner, ownerRef, finalizers, signal }: Claims<T, O>,
  { metadata: { namespace, name = "", uid } = {} }: T,
  mayAdopt: Promise<void> | undefined,
): Promise<T | undefined> {
  await mayAdopt;
  const patch = {
    metadata: { uid, ownerReferences: [controllerReference(owner, ownerRef)], ...(finalizers === undefined ? {} : { finalizers }) },
  };
  const adopted = client.resource(ref).patch({ namespace, name }, { type: "strategic", patch }, { signal });
  return await unlessNotFound(adopted, ref, name);
}

/** It may be gone already, or another of its name be there; neither is the owner's any more. */
async function releaseOne<T extends KubeObject, O extends KubeObject>(
  { client, ref, owner, finalizers, signal }: Claims<T, O>,
  { metadata: { namespace, name = "", uid } = {} }: T,
): Promise<undefined> {
  const ownerReferences = [{ $patch: "delete", uid: owner.metadata?.uid }];
  const patch = {
    metadata: { uid, ownerReferences, ...(finalizers === undefined ? {} : { "$deleteFromPrimitiveList/finalizers": finalizers }) },
  };
  try {
    await client.resource(ref).patch({ namespace, name }, { type: "strategic", patch }, { signal });
  } catch (error) {
    if (!isObjectNotFound(error, ref, name) && !isInvalid(error)) throw error;
  }
  return undefined;
}
