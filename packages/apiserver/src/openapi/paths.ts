/** The paths of a document, in a form from which both versions of OpenAPI are written. */
import type { ResourceRegistry } from "@coxswain/api";
import { apiGroup, apiGroupList, apiResourceList, apiVersionsType, prefixOf, tagOf, versionInfo, wordsOf } from "./names.ts";
import { type Operation, type PathItem, pathsOf } from "./operations.ts";
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
    if (group !== "") paths.push(`apis/${group}`);
    for (const version of registry.versions(group)) paths.push(group === "" ? `api/${version}` : `apis/${group}/${version}`);
  }
  return paths.sort();
}

/** What a document describes; undefined when there is no such document. */
export function pathsOfDocument(registry: ResourceRegistry, document: string): NamedPath[] | undefined {
  if (document === "version") return [discoveryPath("/version/", "Code", "Version", "version", versionInfo, ["application/json"])];
  if (document === "api") return [discoveryPath("/api/", "Core", "APIVersions", "core", apiVersionsType)];
  if (document === "apis") return [discoveryPath("/apis/", "", "APIVersions", "apis", apiGroupList)];
  const [root, first, second, ...rest] = document.split("/");
  if (first === undefined || rest.length > 0 || (root !== "api" && root !== "apis")) return undefined;
  if (root === "apis" && second === undefined) {
    if (first === "" || registry.versions(first).length === 0) return undefined;
    return [discoveryPath(`/apis/${first}/`, wordsOf(first, true), "APIGroup", tagOf(first), apiGroup)];
  }
  const [group, version] = root === "api" ? ["", first] : [first, second];
  if (version === undefined || (root === "api") !== (group === "") || (root === "api" && second !== undefined)) return undefined;
  return pathsOfGroupVersion(registry, group, version, `/${document}`);
}

function pathsOfGroupVersion(registry: ResourceRegistry, group: string, version: string, root: string): NamedPath[] | undefined {
  const definitions = registry.resources(group, version);
  if (definitions.length === 0) return undefined;
  const prefix = prefixOf(group, version);
  const tag = tagOf(group, version);
  const items = definitions.flatMap((definition) => pathsOf(root, definition)).map((item) => namedPath(item, prefix, tag));
  items.push(discoveryPath(`${root}/`, prefix, "APIResources", tag, apiResourceList));
  return items.sort((a, b) => (a.path < b.path ? -1 : 1));
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

function discoveryPath(path: string, prefix: string, object: string, tag: string, type: string, produces = discoveryTypes): NamedPath {
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
    id: `get${prefix}${object}`,
    tag,
  };
  return { path, parameters: [], operations: [operation] };
}
