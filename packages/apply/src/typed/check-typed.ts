/** Whether an object has the shape of its type: the check before every apply, with the texts of structured-merge-diff. */
import { formatGoValue, goSyntax, goTypeOf, isObject, type JsonObject, messageOf } from "@coxswain/machinery";
import { formatElement } from "../field-path/format-path.ts";
import { itemElement, itemSignature } from "../schema/list-items.ts";
import { formOf, type MergeList, type MergeMap, type MergeSchema, schemaAt } from "../schema/merge-schema.ts";

/** What is wrong, as one text; undefined when nothing is. */
export function findShapeError(
  schema: MergeSchema,
  value: unknown,
  { duplicates }: { readonly duplicates: "allowed" | "refused" },
): string | undefined {
  const errors: ShapeError[] = [];
  checkNode(schema, value, undefined, { errors, duplicates: duplicates === "allowed" });
  const texts = errors.map(({ at, message }) => (at === undefined ? message : `${pathOf(at)}: ${message}`));
  return texts.length < 2 ? texts[0] : ["errors:", ...texts.map((text) => `  ${text}`)].join("\n");
}

interface ShapeError {
  readonly at: Place | undefined;
  readonly message: string;
}

interface Check {
  readonly errors: ShapeError[];
  readonly duplicates: boolean;
}

/** Where the check stands; made into a text only for errors. */
interface Place {
  readonly parent: Place | undefined;
  /** A field's name, or an item with its list. */
  readonly step: string | ItemStep;
}

interface ItemStep {
  readonly list: MergeList;
  readonly item: unknown;
  readonly index: number;
}

const pathOf = ({ parent, step }: Place): string => (parent === undefined ? "" : pathOf(parent)) + stepOf(step);

function stepOf(step: Place["step"]): string {
  if (typeof step === "string") return `.${step}`;
  return step.list.atomic ? `[${step.index}]` : formatElement(itemElement(step.list, step.item));
}

function checkNode(schema: MergeSchema, value: unknown, at: Place | undefined, check: Check): void {
  if (value === null || value === undefined) return;
  const { errors } = check;
  const form = formOf(schema, value);
  if (form === "scalar") {
    const message = scalarError(schema.scalar, value);
    if (message !== undefined) errors.push({ at, message });
  } else if (form === "list") {
    if (!Array.isArray(value)) errors.push({ at, message: `expected list, got &{${formatGoValue(value)}}` });
    else if (schema.list !== undefined) checkList(schema.list, value, at, check);
  } else if (!isObject(value)) errors.push({ at, message: `expected map, got &{${formatGoValue(value)}}` });
  else if (schema.map !== undefined) checkMap(schema.map, value, at, check);
}

function scalarError(scalar: MergeSchema["scalar"], value: unknown): string | undefined {
  const type = typeof value;
  switch (scalar) {
    case "numeric":
      return type === "number" || type === "bigint" ? undefined : `expected numeric (int or float), got ${goTypeOf(value)}`;
    case "string":
      return type === "string" ? undefined : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case "boolean":
      return type === "boolean" ? undefined : `expected boolean, got &{${formatGoValue(value)}}`;
    default:
      return type !== "object" ? undefined : `expected any scalar, got &{${formatGoValue(value)}}`;
  }
}

/** Stops at the first field that is not declared. */
function checkMap(map: MergeMap, value: Readonly<JsonObject>, at: Place | undefined, check: Check): void {
  for (const key in value) {
    const entry = value[key];
    if (entry === undefined) continue;
    const schema = schemaAt(map, key);
    if (schema === undefined) {
      check.errors.push({ at: { parent: at, step: key }, message: "field not declared in schema" });
      return;
    }
    if (typeof entry === "string" && (schema.scalar === "string" || schema.scalar === "untyped")) continue;
    checkNode(schema, entry, { parent: at, step: key }, check);
  }
}

/** Stops at the first item that has no key. */
function checkList(list: MergeList, value: readonly unknown[], at: Place | undefined, check: Check): void {
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const step: ItemStep = { list, item, index };
    if (!list.atomic && !checkIdentity(step, at, seen, check)) return;
    checkNode(list.item, item, { parent: at, step }, check);
  }
}

/** @param at the place of the list */
function checkIdentity({ list, item, index }: ItemStep, at: Place | undefined, seen: Set<string>, check: Check): boolean {
  try {
    const signature = itemSignature(list, item);
    if (seen.has(signature) && !check.duplicates)
      check.errors.push({ at, message: `duplicate entries for key ${formatElement(itemElement(list, item))}` });
    seen.add(signature);
    return true;
  } catch (error) {
    check.errors.push({ at, message: `element ${index}: ${messageOf(error)}` });
    return false;
  }
}
