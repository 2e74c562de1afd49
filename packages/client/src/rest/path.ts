/** Where a resource and its objects stand on a server. */
import type { KubeObject } from "@coxswain/machinery";
import type { Target } from "../contracts/client.ts";
import type { ObjectRef, ResourceRef } from "../contracts/resource-ref.ts";

/** What a ResourceClient is bound to. */
export interface ResourceScope {
  readonly ref: ResourceRef;
  /** Undefined: the whole cluster. */
  readonly namespace: string | undefined;
  /** Of objects that are meant to be in a namespace and name none. */
  readonly defaultNamespace: string;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Of a group and version: `/api/v1`, `/apis/apps/v1`. */
export const groupVersionPath = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  group === "" ? `/api/${segment("version", version)}` : `/apis/${segment("group", group)}/${segment("version", version)}`;

/** Of all objects, of the scope's namespace if it has one. */
export const collectionPath = ({ ref, namespace }: ResourceScope): string => resourcePath(ref, namespace);

/** Where an object is created that has no name yet. */
export const creationPath = (scope: ResourceScope, object: KubeObject): string =>
  resourcePath(scope.ref, namespaceOf(scope, object.metadata?.namespace));

/** Of one object, or of a subresource of it. */
export function objectPath(scope: ResourceScope, target: Target, subresource?: string): string {
  const { namespace, name } = typeof target === "string" ? { namespace: undefined, name: target } : target;
  const path = `${resourcePath(scope.ref, namespaceOf(scope, namespace))}/${segment("name", name)}`;
  return subresource === undefined ? path : `${path}/${segment("subresource", subresource)}`;
}

/** The scope of an object that has a name. @throws TypeError when it has none: without a name, a PUT or DELETE would mean something else */
export const refOfObject = (object: KubeObject): ObjectRef => ({
  namespace: object.metadata?.namespace,
  name: object.metadata?.name ?? "",
});

/** Parameters that are undefined, empty or false are left out, as clients in Go do. */
export function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "" && value !== false) parameters.set(name, String(value));
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

/** @throws TypeError when the resource is in no namespace, or the name of the namespace is none */
export function checkScope({ ref, namespace }: ResourceScope): void {
  if (namespace === undefined) return;
  if (!ref.namespaced) throw new TypeError(`${ref.resource} are in no namespace, but ${JSON.stringify(namespace)} was asked for`);
  segment("namespace", namespace);
}

function resourcePath(ref: ResourceRef, namespace: string | undefined): string {
  const inNamespace = namespace === undefined ? "" : `/namespaces/${segment("namespace", namespace)}`;
  return `${groupVersionPath(ref)}${inNamespace}/${segment("resource", ref.resource)}`;
}

function namespaceOf({ ref, namespace, defaultNamespace }: ResourceScope, named: string | undefined): string | undefined {
  if (!ref.namespaced) return undefined;
  // Objects leave the namespace out or empty alike.
  if (named === undefined || named === "") return namespace ?? defaultNamespace;
  if (namespace !== undefined && namespace !== named)
    throw new TypeError(`the ${ref.kind} is in namespace ${named}, but these are the ${ref.resource} of namespace ${namespace}`);
  return named;
}

/**
 * One segment of a path. An empty name would turn a request for one object into one for all of them, and servers
 * split the path after unescaping it, so that a slash would make a name into a subresource.
 */
function segment(what: string, text: string): string {
  if (text === "") throw new TypeError(`the ${what} is empty`);
  if (text === "." || text === ".." || /[/%]/.test(text))
    throw new TypeError(`the ${what} ${JSON.stringify(text)} may be neither "." nor ".." and may not contain "/" or "%"`);
  return encodeURIComponent(text);
}
