/** The paths of a document, in a form from which both versions of OpenAPI are written. */
import type { ResourceRegistry } from "@coxswain/api";
import { apiGroup, apiGroupList, apiResourceList, apiVersionsType, isCustom, prefixOf, tagOf, versionInfo, wordsOf } from "./names.ts";
import type { Operation, PathItem } from "./operation.ts";
import { pathsOf } from "./operations.ts";
import type { Parameter } from "./parameters.ts";

/** An operation with its name and with the parameters that are its alone. */
export interface NamedOperation extends Operation {
  readonly id: string;
  readonly tag: string;
}
export interface NamedPath {
  readonly path: string;
  /** Those of all its operations. */
  readonly parameters: readonly Parameter[];
  readonly operations: readonly NamedOperation[];
}

/** The documents of OpenAPI v3, by their paths below `/openapi/v3`, in order. */
export function documentPaths(registry: ResourceRegistry): string[] {
  const paths = ["api", "apis", "version"];
  for (const group of registry.groups()) {
    if (group !== "" && !isCustomGroup(registry, group)) paths.push(`apis/${group}`);
    for (const version of registry.versions(group)) paths.push(group === "" ? `api/${version}` : `apis/${group}/${version}`);
  }
  return paths.sort();
}

export function hasDocument(registry: ResourceRegistry, document: string): boolean {
  const place = placeOf(document);
  if (place === undefined) return false;
  const { group, version } = place;
  if (group !== undefined && version === undefined && isCustomGroup(registry, group)) return false;
  return group === undefined || registry.versions(group).some((served) => version === undefined || version === served);
}

/** What a document describes: nothing, when there is no such document. */
export function pathsOfDocument(registry: ResourceRegistry, document: string): NamedPath[] {
  if (!hasDocument(registry, document)) return [];
  const discovery = rootDiscovery.get(document);
  if (discovery !== undefined) return [discoveryPath(discovery)];
  const { group = "", version } = placeOf(document) ?? {};
  if (version === undefined) {
    const prefix = wordsOf(group, true);
    return [discoveryPath({ path: `/apis/${group}/`, prefix, object: "APIGroup", tag: tagOf(group), type: apiGroup })];
  }
  return pathsOfGroupVersion(registry, group, version, `/${document}`);
}

/** Of a group that definitions made, OpenAPI describes the resources alone. */
function isCustomGroup(registry: ResourceRegistry, group: string): boolean {
  const [version] = registry.versions(group);
  const [first] = version === undefined ? [] : registry.resources(group, version);
  return first !== undefined && isCustom(first);
}

/** The group and version that a document is about; neither for what stands above the groups. */
function placeOf(document: string): { readonly group?: string; readonly version?: string } | undefined {
  const [root, first, second, ...rest] = document.split("/");
  if (first === undefined) return root === "version" || root === "api" || root === "apis" ? {} : undefined;
  if (rest.length > 0 || first === "") return undefined;
  if (root === "api") return second === undefined ? { group: "", version: first } : undefined;
  if (root !== "apis") return undefined;
  return second === undefined ? { group: first } : { group: first, version: second };
}

function pathsOfGroupVersion(registry: ResourceRegistry, group: string, version: string, root: string): NamedPath[] {
  const prefix = prefixOf(group, version);
  const tag = tagOf(group, version);
  const items = registry.resources(group, version).flatMap((definition) => pathsOf(root, definition));
  const paths = items.map((item) => namedPath(item, prefix, tag));
  if (!isCustomGroup(registry, group)) {
    paths.push(discoveryPath({ path: `${root}/`, prefix, object: "APIResources", tag, type: apiResourceList }));
  }
  return paths.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function namedPath({ path, operations }: PathItem, prefix: string, tag: string): NamedPath {
  const [first, ...others] = operations;
  const shared = (first?.parameters ?? []).filter((parameter) => others.every((other) => other.parameters.includes(parameter)));
  return {
    path,
    parameters: ordered(shared),
    operations: operations.map((operation) => ({
      ...operation,
      id: idOf(operation, prefix),
      tag,
      parameters: ordered(operation.parameters.filter((parameter) => !shared.includes(parameter))),
    })),
  };
}

/** `listCoreV1NamespacedPod`, `connectCoreV1GetNamespacedPodExec`. */
const idOf = ({ verb, object }: Operation, prefix: string): string => `${verb}${prefix}${object}`;

const ordered = (parameters: readonly Parameter[]): Parameter[] =>
  parameters.toSorted((a, b) => (a.name === b.name ? (a.in < b.in ? -1 : 1) : a.name < b.name ? -1 : 1));

const discoveryTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

interface Discovery {
  readonly path: string;
  /** The group and version in the operation's id. */
  readonly prefix: string;
  readonly object: string;
  readonly tag: string;
  /** Of the answer. */
  readonly type: string;
  readonly produces?: readonly string[];
}

/** By the documents that are about no group. */
const rootDiscovery: ReadonlyMap<string, Discovery> = new Map([
  ["version", { path: "/version/", prefix: "Code", object: "Version", tag: "version", type: versionInfo, produces: ["application/json"] }],
  ["api", { path: "/api/", prefix: "Core", object: "APIVersions", tag: "core", type: apiVersionsType }],
  ["apis", { path: "/apis/", prefix: "", object: "APIVersions", tag: "apis", type: apiGroupList }],
]);

function discoveryPath({ path, prefix, object, tag, type, produces = discoveryTypes }: Discovery): NamedPath {
  const operation: NamedOperation = {
    method: "get",
    verb: "get",
    object,
    description: "Read what the server offers here.",
    action: undefined,
    gvk: undefined,
    parameters: [],
    body: undefined,
    answers: [{ code: 200, type }],
    produces,
    consumes: produces,
    id: `get${prefix}${object}`,
    tag,
  };
  return { path, parameters: [], operations: [operation] };
}
