/**
 * One step on the way to a field, as managed fields name it: a field of an object, an item of a list by its keys, by its
 * value or by its place. Elements are equal exactly when their texts are.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
import { canonicalJson, compareBytes, compareValues, isObject, parseJson } from "@coxswain/machinery";

export type PathElement =
  | { readonly kind: "field"; readonly text: string; readonly name: string }
  | { readonly kind: "key"; readonly text: string; readonly keys: readonly KeyValue[] }
  | { readonly kind: "value"; readonly text: string; readonly value: unknown }
  | { readonly kind: "index"; readonly text: string; readonly index: number };

export type KeyValue = readonly [name: string, value: unknown];

export const fieldElement = (name: string): PathElement => ({ kind: "field", text: `f:${name}`, name });

/** `keys` in any order; those that the item lacks and that have no default are left out. */
export function keyElement(keys: readonly KeyValue[]): PathElement {
  const sorted = keys.length < 2 ? keys : keys.toSorted(([a], [b]) => compareBytes(a, b));
  let text = "k:{";
  for (const [name, value] of sorted) text += `${text.length > 3 ? "," : ""}${JSON.stringify(name)}:${canonicalJson(value)}`;
  return { kind: "key", text: `${text}}`, keys: sorted };
}

export const valueElement = (value: unknown): PathElement => ({ kind: "value", text: `v:${canonicalJson(value)}`, value });

export const indexElement = (index: number): PathElement => ({ kind: "index", text: `i:${index}`, index });

/** The order in which sets keep and print their elements: fields, keys, values, indexes. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  switch (a.kind) {
    case "field":
      return b.kind === "field" ? compareBytes(a.name, b.name) : -1;
    case "key":
      return b.kind === "key" ? compareKeys(a.keys, b.keys) : ranks[a.kind] - ranks[b.kind];
    case "value":
      return b.kind === "value" ? compareValues(a.value, b.value) : ranks[a.kind] - ranks[b.kind];
    case "index":
      return b.kind === "index" ? a.index - b.index : 1;
  }
}

const ranks = { field: 0, key: 1, value: 2, index: 3 } as const;

function compareKeys(a: readonly KeyValue[], b: readonly KeyValue[]): number {
  for (let i = 0; ; i++) {
    const left = a[i];
    const right = b[i];
    if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? -1 : 1;
    const order = compareBytes(left[0], right[0]) || compareValues(left[1], right[1]);
    if (order !== 0) return order;
  }
}

/**
 * Reads a key of FieldsV1; undefined for kinds of elements that a later version may know.
 * @throws Error when the text is none
 */
export function parsePathElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new Error("key must be 2 characters long:");
  if (text[1] !== ":") throw new Error(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text[0]) {
    case "f":
      return { kind: "field", text, name: content };
    case "k": {
      const keys = parseContent(content);
      if (!isObject(keys)) throw new Error(`expect { or n, but found ${content.slice(0, 1)}`);
      return keyElement(Object.entries(keys));
    }
    case "v":
      return valueElement(parseContent(content));
    case "i": {
      if (!/^[+-]?\d+$/.test(content)) throw new Error(`strconv.Atoi: parsing "${content}": invalid syntax`);
      return indexElement(Number(content));
    }
    default:
      return undefined;
  }
}

/** Only long numbers need the slower reader. */
const parseContent = (text: string): unknown => (/\d{16}/.test(text) ? parseJson(text) : JSON.parse(text));
