/** Which fields a write may own: a strategy resets the others, so they get no manager there. */
import { difference, differenceWithin, type FieldPath, type FieldSet, fieldsAt, isEmptySet, noFields, resize } from "./field-set.ts";

/** Returns those of the fields that a manager may come to own. */
export type FieldFilter = (fields: FieldSet) => FieldSet;

/** All but these fields and what is in them: `excluding(["status"])` for the main resource. */
export function excluding(...paths: readonly (readonly string[])[]): FieldFilter {
  const excluded = fieldsAt(...paths);
  return (fields) => differenceWithin(fields, excluded);
}

/** Any element of a path. */
export const anyElement = "*";

/** Only these fields and what is in them: `including(["spec", "containers", anyElement, "resources"])`. */
export function including(...paths: readonly (readonly string[])[]): FieldFilter {
  return (fields) => keepPaths(fields, paths);
}

function keepPaths(fields: FieldSet, paths: readonly (readonly string[])[]): FieldSet {
  if (paths.some((path) => path.length === 0)) return fields;
  const nodes = fields.nodes.flatMap((node) => {
    const { element } = node;
    const below = paths
      .filter(([first]) => first === anyElement || (element.kind === "field" && first === element.name))
      .map((path) => path.slice(1));
    if (below.length === 0) return [];
    const children = keepPaths(node.children, below);
    return resize(node, node.member, children) ?? [];
  });
  return nodes.length === 0 ? noFields : { nodes };
}

export const everything: FieldFilter = (fields) => fields;

/** What no manager ever owns, because it names the object or is the server's. */
export const withoutUntracked: FieldFilter = (fields) => difference(fields, untrackedFields);

const meta = ["name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields", "resourceVersion"];
const untrackedFields = fieldsAt(["apiVersion"], ["kind"], ["metadata"], ...meta.map((name) => ["metadata", name]));

/** Whether the filter leaves the field, or something in it. */
export const leaves = (filter: FieldFilter, path: FieldPath): boolean => !isEmptySet(filter(fieldsAt(path)));
