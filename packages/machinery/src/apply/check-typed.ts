/** Whether an object has the shape of its type: the check before every apply, with the texts of structured-merge-diff. */
import { formatGoValue, goTypeOf } from "../patch/go-value.ts";
import { isObject } from "../patch/json-object.ts";
import { formatElement, goSyntax } from "./go-syntax.ts";
import { itemElement } from "./list-items.ts";
import { formOf, type MergeList, type MergeMap, type MergeSchema, schemaAt } from "./merge-schema.ts";
import { indexElement } from "./path-element.ts";

/** What is wrong, as one text; undefined when nothing is. */
export function findShapeError(
  schema: MergeSchema,
  value: unknown,
  { duplicates }: { readonly duplicates: "allowed" | "refused" },
): string | undefined {
  const errors: ShapeError[] = [];
  checkNode(schema, value, "", { errors, duplicates: duplicates === "allowed" });
  const texts = errors.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return texts.length < 2 ? texts[0] : ["errors:", ...texts.map((text) => `  ${text}`)].join("\n");
}

interface ShapeError {
  readonly path: string;
  readonly message: string;
}

interface Check {
  readonly errors: ShapeError[];
  readonly duplicates: boolean;
}

function checkNode(schema: MergeSchema, value: unknown, path: string, check: Check): void {
  if (value === null || value === undefined) return;
  const form = formOf(schema, value);
  if (form === "scalar") {
    const message = scalarError(schema.scalar, value);
    if (message !== undefined) check.errors.push({ path, message });
  } else if (form === "list") {
    if (!Array.isArray(value)) check.errors.push({ path, message: `expected list, got &{${formatGoValue(value)}}` });
    else if (schema.list !== undefined) checkList(schema.list, value, path, check);
  } else if (!isObject(value)) check.errors.push({ path, message: `expected map, got &{${formatGoValue(value)}}` });
  else if (schema.map !== undefined) checkMap(schema.map, value, path, check);
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
function checkMap(map: MergeMap, value: Readonly<Record<string, unknown>>, path: string, check: Check): void {
  for (const key in value) {
    const entry = value[key];
    if (entry === undefined) continue;
    const schema = schemaAt(map, key);
    if (schema === undefined) {
      check.errors.push({ path: `${path}.${key}`, message: "field not declared in schema" });
      return;
    }
    if (typeof entry === "string" && (schema.scalar === "string" || schema.scalar === "untyped")) continue;
    checkNode(schema, entry, `${path}.${key}`, check);
  }
}

function checkList(list: MergeList, value: readonly unknown[], path: string, check: Check): void {
  const seen = new Set<string>();
  for (const [i, item] of value.entries()) {
    let element = indexElement(i);
    if (!list.atomic) {
      try {
        element = itemElement(list, item);
      } catch (error) {
        check.errors.push({ path, message: `element ${i}: ${error instanceof Error ? error.message : error}` });
        return;
      }
      if (seen.has(element.text) && !check.duplicates)
        check.errors.push({ path, message: `duplicate entries for key ${formatElement(element)}` });
      seen.add(element.text);
    }
    checkNode(list.item, item, path + formatElement(element), check);
  }
}
