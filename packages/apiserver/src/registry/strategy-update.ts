/** What a kind's strategy, and the rules of all kinds, make of an object that is updated. */
import { metaPassesOf, validateObjectMetaUpdate, validateReplacement } from "@coxswain/api";
import { deepEqual, type FieldError, invalid, type KubeObject, type ObjectMeta } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { Change } from "./change.ts";
import { countsGeneration, dropUnkept, metaOf, wholeSeconds } from "./metadata.ts";

/** What only the server may set stays as it is; where Kubernetes refuses a change instead of undoing it, the rules do. */
export function restoreMeta(meta: ObjectMeta, current: Readonly<ObjectMeta>, entry: Entry): void {
  meta.resourceVersion = String(entry.modified);
  if (!meta.uid) restore(meta, "uid", current.uid);
  restore(meta, "creationTimestamp", current.creationTimestamp);
  if (current.deletionTimestamp !== undefined) meta.deletionTimestamp = current.deletionTimestamp;
  if (current.deletionGracePeriodSeconds !== undefined) meta.deletionGracePeriodSeconds ??= current.deletionGracePeriodSeconds;
  restore(meta, "generation", current.generation);
  dropUnkept(meta);
}

function restore<K extends keyof ObjectMeta>(meta: ObjectMeta, key: K, value: ObjectMeta[K] | undefined): void {
  if (value === undefined) {
    if (meta[key] !== undefined) delete meta[key];
  } else meta[key] = value;
}

/** `now`: milliseconds since the epoch. */
export function applyStrategy(
  resource: ServedResource,
  next: KubeObject,
  current: Readonly<KubeObject>,
  { part, now }: { readonly part: Change["part"]; readonly now: number },
): void {
  const { definition } = resource;
  const { strategy } = definition;
  if (part === "status") {
    keepAllButStatus(next, current);
    const { status } = strategy.subresources ?? {};
    if (status?.resetFields?.some(([first, ...below]) => first === "metadata" && below.length === 0)) keepMetadata(next, current);
    status?.prepareForUpdate?.(next, current, wholeSeconds(now));
  } else if (part !== "free") {
    if (part === "main" && definition.hasStatus && definition.strategy.keepsStatus !== false) copyField(next, current, "status");
    if (part === "main") strategy.prepareForUpdate?.(next, current, wholeSeconds(now));
    if (countsGeneration(resource, strategy)) {
      const changed = typeof strategy.generation === "function" ? strategy.generation(next, current) : !deepEqual(next.spec, current.spec);
      if (changed) metaOf(next).generation = (current.metadata?.generation ?? 0) + 1;
    }
  }
}

function keepMetadata(next: KubeObject, current: Readonly<KubeObject>): void {
  const { managedFields } = next.metadata ?? {};
  next.metadata = { ...current.metadata, ...(managedFields === undefined ? {} : { managedFields }) };
}

/** A status write may also change metadata, but for what the kind itself restores. */
function keepAllButStatus(next: KubeObject, current: Readonly<KubeObject>): void {
  for (const key of new Set([...Object.keys(next), ...Object.keys(current)])) {
    if (key !== "status" && key !== "metadata" && key !== "kind" && key !== "apiVersion") copyField(next, current, key);
  }
}

function copyField(next: KubeObject, current: Readonly<KubeObject>, key: string): void {
  if (current[key] === undefined) delete next[key];
  else next[key] = current[key];
}

/** @throws invalid() with every error of the changed object. */
export function validateChange(
  { resource, warnings }: Pick<RequestContext, "resource" | "warnings">,
  next: KubeObject,
  current: Readonly<KubeObject>,
  change: Change,
): void {
  const { definition } = resource;
  const { strategy, namespaced } = definition;
  const { part } = change;
  const warn = (text: string): unknown => warnings.push(text);
  const rules = { namespaced, name: strategy.name, finalizers: strategy.finalizers };
  const errors: FieldError[] = [...validateObjectMetaUpdate(next, current, rules, metaPassesOf(strategy, part))];
  if (change.validate !== undefined) errors.push(...change.validate(next, current));
  if (part === "main") {
    errors.push(...validateReplacement(strategy, next, current));
    if (strategy.validateUpdate !== undefined) errors.push(...strategy.validateUpdate(next, current, warn));
  } else if (part === "status") {
    errors.push(...(strategy.subresources?.status?.validateUpdate?.(next, current, warn) ?? []));
  }
  if (errors.length > 0) throw invalid(resource.storage.definition, current.metadata?.name ?? "", errors);
}

/** A deleting object whose last finalizer goes, goes with it. */
export function finishesDeletion(object: Readonly<KubeObject>, resource: ServedResource): boolean {
  const meta = object.metadata;
  if (meta?.deletionTimestamp === undefined || (meta.finalizers?.length ?? 0) > 0 || (meta.deletionGracePeriodSeconds ?? 0) !== 0)
    return false;
  return resource.definition.strategy.mayBeRemoved?.(object) ?? true;
}
