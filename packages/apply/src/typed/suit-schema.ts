/** Field sets and the types of the objects that they are about. */
import { type FieldNode, type FieldSet, isEmptySet, noFields, resize } from "../field-path/field-set.ts";
import type { PathElement } from "../field-path/path-element.ts";
import { deduced, type MergeSchema } from "../schema/merge-schema.ts";

/** The set with every declared field a member below which there are members: removing those removes the field that held them. */
export function withNamedFields(schema: MergeSchema | undefined, set: FieldSet): FieldSet {
  return mapNodes(set, (node) => {
    const children = isEmptySet(node.children) ? node.children : withNamedFields(schemaBelow(schema, node.element, "keys"), node.children);
    const named = node.element.kind === "field" && schema?.map?.fields.has(node.element.name) === true;
    return resize(node, node.member || (named && !isEmptySet(node.children)), children);
  });
}

/**
 * The set as the type would have it written now: where it names fields within what has become atomic, it owns that whole.
 * What has ceased to be atomic needs nothing.
 */
export function suitSchema(schema: MergeSchema, set: FieldSet): FieldSet {
  const { map, list } = schema;
  if (
    map !== undefined
      ? map === deduced.map || (map.fields.size === 0 && map.rest === deduced)
      : schema.scalar !== undefined || list === undefined
  )
    return set;
  return mapNodes(set, (node) => {
    const below = isEmptySet(node.children) ? undefined : schemaBelow(schema, node.element, "all");
    if (below === undefined) return node;
    return isAtomic(below) ? resize(node, true, noFields) : resize(node, node.member, suitSchema(below, node.children));
  });
}

const isAtomic = ({ map, scalar, list }: MergeSchema): boolean =>
  map !== undefined ? map.atomic : scalar === undefined && list?.atomic === true;

function schemaBelow(schema: MergeSchema | undefined, element: PathElement, items: "keys" | "all"): MergeSchema | undefined {
  if (schema?.map !== undefined && element.kind === "field") return schema.map.fields.get(element.name)?.schema ?? schema.map.rest;
  if (schema?.list !== undefined && (items === "all" ? schema.map === undefined : element.kind === "key")) return schema.list.item;
  return undefined;
}

function mapNodes(set: FieldSet, change: (node: FieldNode) => FieldNode | undefined): FieldSet {
  let changed = false;
  const nodes: FieldNode[] = [];
  for (const node of set.nodes) {
    const result = change(node);
    changed ||= result !== node;
    if (result !== undefined) nodes.push(result);
  }
  return changed ? { nodes } : set;
}
