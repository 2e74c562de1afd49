/** The names by which OpenAPI documents know types, operations and tags. */
import { builtinTypes, publishedName, type ResourceDefinition } from "@coxswain/api";
import type { GroupVersionKind } from "@coxswain/machinery";

const meta = (name: string): string => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`;

export const apiGroup = meta("APIGroup");
export const apiGroupList = meta("APIGroupList");
export const apiResourceList = meta("APIResourceList");
export const apiVersionsType = meta("APIVersions");
export const deleteOptions = meta("DeleteOptions");
export const patch = meta("Patch");
export const status = meta("Status");
export const watchEvent = meta("WatchEvent");
export const versionInfo = "io.k8s.apimachinery.pkg.version.Info";

/** The built-in type of a kind. */
export function typeNameOf({ group, version, kind }: GroupVersionKind): string {
  const type = builtinTypes.byKind(group, version, kind);
  if (type === undefined) throw new Error(`no built-in type is ${group}/${version} ${kind}`);
  return type.name;
}

/** Whether a definition has a schema of its own, which is only made when it is read. */
export const isCustom = (definition: ResourceDefinition): boolean => "schema" in definition;

/** The type of a resource's objects; that of a custom resource need not be compiled for its name. */
export const typeNameOfResource = (definition: ResourceDefinition): string =>
  isCustom(definition) ? publishedName(definition) : definition.type.name;

/** The type of another kind, in the same group and version. */
export const typeBeside = (type: string, kind: string): string => type.slice(0, type.lastIndexOf(".") + 1) + kind;

/** `core_v1`, `rbacAuthorization_v1`, `core` without a version. */
export const tagOf = (group: string, version?: string): string =>
  version === undefined ? wordsOf(group, false) : `${wordsOf(group, false)}_${version}`;

/** The group and version within operation ids: `CoreV1`, `RbacAuthorizationV1`. */
export const prefixOf = (group: string, version: string): string =>
  `${wordsOf(group, true)}${version.charAt(0).toUpperCase()}${version.slice(1)}`;

/** A group's name without its dots, and without `.k8s.io`. */
export function wordsOf(group: string, capitalised: boolean): string {
  const words = (group === "" ? "core" : group.replace(/\.k8s\.io$/, "")).split(/[^A-Za-z0-9]+/);
  return words.map((word, i) => (i > 0 || capitalised ? `${word.charAt(0).toUpperCase()}${word.slice(1)}` : word)).join("");
}
