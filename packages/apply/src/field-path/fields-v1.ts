/** Field sets as JSON: FieldsV1, where keys are path elements and `.` says that the path so far is a member too. */
import { isObject, type JsonObject } from "@coxswain/machinery";
import { type FieldNode, type FieldSet, isEmptySet, noFields, setOfNodes } from "./field-set.ts";
import { parsePathElement } from "./path-element.ts";

/** In Kubernetes' order of keys. Shared with later calls for the same set, and frozen. */
export function fieldsV1Of(set: FieldSet): Readonly<JsonObject> {
  let json = written.get(set);
  if (json === undefined) {
    json = writeNodes(set, false);
    written.set(set, json);
  }
  return json;
}

/** What does not change between writes is printed once. */
const written = new WeakMap<FieldSet, Readonly<JsonObject>>();

const nothing: Readonly<JsonObject> = Object.freeze({});

function writeNodes(set: FieldSet, member: boolean): Readonly<JsonObject> {
  const json: JsonObject = {};
  if (member) json["."] = nothing;
  for (const node of set.nodes) {
    if (node.children.nodes.length === 0) json[node.element.text] = nothing;
    else json[node.element.text] = node.member ? writeNodes(node.children, true) : fieldsV1Of(node.children);
  }
  return Object.freeze(json);
}

/** Reads the `fieldsV1` of a managed fields entry. @throws Error when it is not FieldsV1 */
export function parseFieldsV1(json: unknown): FieldSet {
  return readNodes(json).children;
}

/** An object without content stands for a member, and so does whatever says so itself. */
function readNodes(json: unknown): { readonly member: boolean; readonly children: FieldSet } {
  if (json === null) return { member: true, children: noFields };
  if (!isObject(json)) throw new Error("ReadMapCB: expect { or n, but found something else");
  let member = false;
  const nodes: FieldNode[] = [];
  for (const key of Object.keys(json)) {
    if (key === ".") {
      member = true;
      continue;
    }
    const element = parsePathElement(key);
    if (element === undefined) continue;
    const below = readNodes(json[key]);
    nodes.push({ element, member: below.member, children: below.children });
  }
  return { member: member || nodes.length === 0, children: setOfParsed(nodes) };
}

/** Two keys may mean one element, where numbers and spaces have several forms: the last with content counts. */
function setOfParsed(nodes: FieldNode[]): FieldSet {
  const set = setOfNodes([...nodes]);
  if (!set.nodes.some((node, i) => node.element.text === set.nodes[i + 1]?.element.text)) return set;
  const byText = new Map<string, FieldNode>();
  for (const node of nodes) {
    const known = byText.get(node.element.text) ?? node;
    const { children } = isEmptySet(node.children) ? known : node;
    byText.set(node.element.text, { element: node.element, member: known.member || node.member, children });
  }
  return setOfNodes([...byText.values()]);
}
