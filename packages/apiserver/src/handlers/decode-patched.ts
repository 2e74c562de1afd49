/**
 * The result of a JSON or merge patch names its own kind, and is read as what it says it is. It must come out as the kind of
 * the request: what a client holds, and what is stored, never changes its kind.
 */
import { convertObject, type ResourceDefinition } from "@coxswain/api";
import {
  canonicalJson,
  compareBytes,
  DecodeError,
  type DecodeReport,
  type FieldError,
  field,
  internalError,
  invalid,
  isObject,
  type KubeObject,
  parseApiVersion,
  stringifyJson,
  type Type,
} from "@coxswain/machinery";
import type { ServedResource, ServedResources } from "../contracts/served-resource.ts";
import { decodeObject, unregistered } from "../negotiation/decode-body.ts";
import { packageOf } from "../negotiation/go-package.ts";
import { checkTypeMeta } from "../negotiation/parse-body.ts";

type KindLookup = Pick<ServedResources, "byKind">;

/** What a patch is for. */
export interface PatchTarget {
  /** Of the object that is patched. */
  readonly resource: ServedResource;
  readonly name: string;
  readonly subresource: string;
  readonly served: KindLookup;
}

/** @param object changed in place where it is of the resource's kind already. @throws DecodeError, or the Status of a kind that is another */
export function decodePatched({ resource, name, subresource, served }: PatchTarget, object: KubeObject, report: DecodeReport): KubeObject {
  const { definition, apiVersion } = resource;
  if (object.kind !== definition.kind || object.apiVersion !== apiVersion) {
    checkTypeMeta(object);
    if (object.apiVersion && parseApiVersion(object.apiVersion) === undefined)
      throw new DecodeError(`unexpected GroupVersion string: ${object.apiVersion}`);
    if (definition.custom === undefined) return decodeOther(served, object, resource, report);
    checkCustomTypeMeta(object, resource, { name, subresource });
  }
  decodeObject(resource, object, report);
  setTypeMeta(object, resource);
  return object;
}

/** A strategic merge patch is filled into the resource's own type, whatever it says of its kind. */
export function decodeAsOwnKind(object: KubeObject, resource: ServedResource, report: DecodeReport): KubeObject {
  decodeObject(resource, object, report);
  setTypeMeta(object, resource);
  return object;
}

/**
 * As Kubernetes shows the document that a patch has made: the keys of maps and of what the patch has changed are sorted, in
 * custom objects all. @param current what was patched; what is the same value in both was not changed
 */
export function shownJson(result: unknown, { definition, type }: ServedResource, current: Readonly<KubeObject>): string {
  if (definition.custom !== undefined) return canonicalJson(result);
  if (!isObject(result)) return stringifyJson(result);
  return stringifyJson(inOrder(result, (key, value) => withSortedMaps(value, type.fields.get(key)?.type, current[key])));
}

function withSortedMaps(value: unknown, type: Type | undefined, before: unknown): unknown {
  if (Array.isArray(value) && type?.kind === "list") {
    const items = Array.isArray(before) ? before : [];
    return value.map((item, i) => withSortedMaps(item, type.item, items[i]));
  }
  if (!isObject(value) || type === undefined) return value;
  const old = isObject(before) ? before : {};
  if (type.kind === "map") return inOrder(value, (key, item) => withSortedMaps(item, type.value, old[key]));
  if (type.kind !== "struct") return value;
  const shown = (key: string, item: unknown) => withSortedMaps(item, type.fields.get(key)?.type, old[key]);
  if (value !== before) return inOrder(value, shown);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shown(key, item)]));
}

const inOrder = (value: Readonly<Record<string, unknown>>, shown: (key: string, value: unknown) => unknown): object =>
  Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => compareBytes(a, b))
      .map(([key, item]) => [key, shown(key, item)]),
  );

function setTypeMeta(object: KubeObject, { definition, apiVersion }: ServedResource): void {
  if (object.kind !== definition.kind) object.kind = definition.kind;
  if (object.apiVersion !== apiVersion) object.apiVersion = apiVersion;
}

/** A kind that is left out is the request's own; without an apiVersion Kubernetes knows no field of the object but these two. */
function decodeOther(served: KindLookup, object: KubeObject, resource: ServedResource, report: DecodeReport): KubeObject {
  const { definition } = resource;
  object.kind = object.kind || definition.kind;
  if (!object.apiVersion) {
    for (const key of Object.keys(object).sort()) if (key !== "kind" && key !== "apiVersion") report.unknownField(undefined, key);
    return {};
  }
  const source = sourceOf(served, object.kind, object.apiVersion, resource);
  decodeObject(source, object, report);
  setTypeMeta(object, source);
  if (source === resource) return object;
  if (object.kind !== definition.kind || !isSameKind(source.definition, definition)) {
    const { version, kind } = source.definition;
    throw new DecodeError(`converting (${version}.${kind}) to (${packageOf(definition.group)}.${definition.kind}): unknown conversion`);
  }
  source.definition.strategy.defaults?.(object);
  return convertObject(object, source.definition, definition);
}

/** Versions of one kind are stored under one prefix. */
const isSameKind = (one: ResourceDefinition, other: ResourceDefinition): boolean =>
  one.storagePrefix !== undefined && one.storagePrefix === other.storagePrefix;

function sourceOf(served: KindLookup, kind: string, apiVersion: string, resource: ServedResource): ServedResource {
  if (kind === resource.definition.kind && (apiVersion === resource.apiVersion || resource.alsoIn?.includes(apiVersion))) return resource;
  const from = parseApiVersion(apiVersion);
  const known = from === undefined ? undefined : served.byKind(from.group, from.version, kind);
  if (known === undefined || known.definition.custom !== undefined) throw new DecodeError(unregistered(kind, apiVersion));
  return known;
}

/** Custom resources are validated as what they say they are; their status keeps what is stored. */
function checkCustomTypeMeta(
  object: KubeObject,
  { definition, apiVersion }: ServedResource,
  { name, subresource }: Pick<PatchTarget, "name" | "subresource">,
): void {
  const given = { kind: object.kind || "", apiVersion: object.apiVersion || "" };
  if (given.kind === "") throw new DecodeError(`Object 'Kind' is missing in '${canonicalJson(object)}'`);
  if (given.apiVersion === "") throw internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  if (subresource === "status") return;
  const errors: FieldError[] = [];
  if (given.kind !== definition.kind) errors.push(field.invalid("kind", given.kind, `must be ${definition.kind}`));
  if (given.apiVersion !== apiVersion) errors.push(field.invalid("apiVersion", given.apiVersion, `must be ${apiVersion}`));
  if (errors.length > 0) throw invalid({ group: parseApiVersion(given.apiVersion)?.group ?? "", kind: given.kind }, name, errors);
}
