/** The set of all fields that an object has: what a manager owns who applies it. */

import { isEmpty, isObject } from "@coxswain/machinery";
import { type FieldNode, type FieldSet, noFields, setOfNodes } from "../field-path/field-set.ts";
import { fieldElement, type PathElement } from "../field-path/path-element.ts";
import { itemElement } from "../schema/list-items.ts";
import { formOf, type MergeList, type MergeMap, type MergeSchema } from "../schema/merge-schema.ts";

export function fieldsOf(schema: MergeSchema, value: unknown): FieldSet {
  return contentOf(schema, value) ?? noFields;
}

/** The fields within a value; undefined for leaves, which are owned themselves. */
function contentOf(schema: MergeSchema, value: unknown): FieldSet | undefined {
  switch (formOf(schema, value)) {
    case "scalar":
      return undefined;
    case "map": {
      const { map } = schema;
      if (map === undefined || map.atomic) return undefined;
      return isObject(value) ? fieldsOfMap(map, value) : noFields;
    }
    case "list": {
      const { list } = schema;
      if (list === undefined || list.atomic) return undefined;
      return Array.isArray(value) ? fieldsOfList(list, value) : noFields;
    }
  }
}

/** Keys that the type does not name are members themselves, and so is what is empty or null; declared structs are not. */
function fieldsOfMap(map: MergeMap, value: Readonly<Record<string, unknown>>): FieldSet {
  const nodes: FieldNode[] = [];
  for (const key in value) {
    const entry = value[key];
    if (entry === undefined) continue;
    const field = map.fields.get(key);
    const schema = field?.schema ?? map.rest;
    if (schema === undefined) continue;
    addNode(nodes, field?.element ?? fieldElement(key), field === undefined || isHollow(entry), contentOf(schema, entry));
  }
  return setOfNodes(nodes);
}

/** Items are always members. Of those that share a key only the element is one, not what is in them. */
function fieldsOfList(list: MergeList, value: readonly unknown[]): FieldSet {
  const places = new Map<string, number>();
  const nodes: FieldNode[] = [];
  for (const item of value) {
    // What is left of an item from which every field was removed.
    if (item === null) continue;
    const element = itemElement(list, item);
    const place = places.get(element.text);
    if (place !== undefined) nodes[place] = { element, member: true, children: noFields };
    else {
      places.set(element.text, nodes.length);
      addNode(nodes, element, true, contentOf(list.item, item));
    }
  }
  return setOfNodes(nodes);
}

function addNode(nodes: FieldNode[], element: PathElement, member: boolean, content: FieldSet | undefined): void {
  if (content === undefined) nodes.push({ element, member: true, children: noFields });
  else if (member || content !== noFields) nodes.push({ element, member, children: content });
}

const isHollow = (value: unknown): boolean => value === null || (isObject(value) && isEmpty(value));
