/** What the server itself writes into metadata. */
import type { Strategy } from "@coxswain/api";
import { badRequest, conflict, type KubeObject, type ObjectMeta, type RandomSource, type StatusError } from "@coxswain/machinery";
import type { ServedResource } from "../contracts/served-resource.ts";

/** The metadata of an object under construction. */
export function metaOf(object: KubeObject): ObjectMeta {
  object.metadata ??= {};
  return object.metadata;
}

const namespaceMismatch = "the namespace of the provided object does not match the namespace sent on the request";

/** An empty namespace means the request's; a cluster-scoped object has none. */
export function settleNamespace(object: KubeObject, resource: ServedResource, namespace: string): void {
  const meta = metaOf(object);
  if (!resource.definition.namespaced) {
    if (meta.namespace !== undefined) delete meta.namespace;
  } else if (meta.namespace === undefined || meta.namespace === "") {
    meta.namespace = namespace;
  } else if (meta.namespace !== namespace) {
    throw badRequest(namespaceMismatch);
  }
}

/** For writes to a named object. An empty name in the body means the one in the URL, for bodies that may leave it out. */
export function checkName(object: KubeObject, name: string): void {
  const given = metaOf(object).name ?? "";
  if (given === "") throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name) throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}

/** Fields that only the server may set are wiped on every create, whatever the client sent. */
export function wipeMeta(meta: ObjectMeta): void {
  for (const key of ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] as const) {
    if (meta[key] !== undefined) delete meta[key];
  }
  dropUnkept(meta);
}

/** What the server gives a new object, whose metadata was wiped. */
export function prepareNewMeta(meta: ObjectMeta, now: number, random: RandomSource): void {
  meta.uid = random.uuid();
  meta.creationTimestamp = wholeSeconds(now);
}

/** selfLink is never returned. */
export function dropUnkept(meta: ObjectMeta): void {
  if ("selfLink" in meta) delete (meta as { selfLink?: string }).selfLink;
}

// Every write asks twice, and most within a second that has been asked for.
let latest = { second: Number.NaN, text: "" };

/** RFC 3339 in UTC without fractions, as every Time on the wire. */
export function wholeSeconds(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== latest.second) latest = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` };
  return latest.text;
}

const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const maxBaseLength = 63 - suffixLength;

export function generateName(base: string, random: RandomSource): string {
  let suffix = "";
  for (let i = 0; i < suffixLength; i++) suffix += alphabet[Math.floor(random.next() * alphabet.length)];
  return base.slice(0, maxBaseLength) + suffix;
}

/** Whether Kubernetes keeps metadata.generation for the kind: those that have a desired state, unless the kind says otherwise. */
export const countsGeneration = (resource: ServedResource, strategy: Strategy): boolean =>
  strategy.generation !== "never" && (strategy.generation !== undefined || resource.type.fields.has("spec"));

/** A precondition that does not hold. */
export interface UnmetPrecondition {
  readonly what: "UID" | "ResourceVersion";
  readonly asked: string;
  /** Empty where there is no object. */
  readonly actual: string;
}

/** In the words of Kubernetes' store. */
export const preconditionConflict = (
  resource: ServedResource,
  key: string,
  name: string,
  { what, asked, actual }: UnmetPrecondition,
): StatusError =>
  conflict(
    resource.groupResource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${actual}`,
  );
