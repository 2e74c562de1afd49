/**
 * The Table columns of a custom resource.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#additional-printer-columns
 */
import { DecodeError, type KubeObject, parseTime } from "@coxswain/machinery";
import { type JsonPath, JsonPathError, parseJsonPath, printJsonPathValue } from "@coxswain/schema/jsonpath";
import type { CustomResourceColumnDefinition } from "@coxswain/types/apiextensions-v1";
import { humanDuration } from "../table/age.ts";
import { ageColumn, type Cell, nameColumn, type TableColumnDefinition, type TableColumns } from "../table/columns.ts";

/** Name and the definition's own columns, up to one whose path cannot be parsed; Name and Age where it has none. */
export const customColumns = (columns: readonly CustomResourceColumnDefinition[] | undefined): TableColumns =>
  new CustomColumns(columns === undefined || columns.length === 0 ? [age] : columns);

/** Paths are parsed when a Table is first asked for: most definitions of a cluster are never shown. */
class CustomColumns implements TableColumns {
  readonly #columns: readonly CustomResourceColumnDefinition[];
  #parsed: readonly Printer[] | undefined;

  constructor(columns: readonly CustomResourceColumnDefinition[]) {
    this.#columns = columns;
  }

  get definitions(): readonly TableColumnDefinition[] {
    return [name, ...this.#printers.map(({ column }) => column)];
  }

  cells(obj: Readonly<KubeObject>, now: number): readonly Cell[] {
    return [obj.metadata?.name ?? "", ...this.#printers.map((printer) => cellOf(printer, obj, now))];
  }

  get #printers(): readonly Printer[] {
    this.#parsed ??= printersOf(this.#columns);
    return this.#parsed;
  }
}

function printersOf(columns: readonly CustomResourceColumnDefinition[]): readonly Printer[] {
  const printers: Printer[] = [];
  for (const column of columns) {
    const find = tryParse(column.jsonPath);
    if (find === undefined) break;
    printers.push({ column: headOf(column), find });
  }
  return printers;
}

const name: TableColumnDefinition = {
  name: nameColumn.name,
  type: nameColumn.type,
  format: "name",
  priority: 0,
  description: nameColumn.description ?? "",
};

const age: CustomResourceColumnDefinition = {
  name: "Age",
  type: "date",
  description: ageColumn.description ?? "",
  jsonPath: ".metadata.creationTimestamp",
};

interface Printer {
  readonly column: TableColumnDefinition;
  readonly find: JsonPath;
}

function tryParse(path: string): JsonPath | undefined {
  try {
    return parseJsonPath(`{${path}}`);
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

const headOf = ({
  name,
  type,
  format = "",
  priority = 0,
  description = "",
  jsonPath,
}: CustomResourceColumnDefinition): TableColumnDefinition => ({
  name,
  type,
  format,
  priority,
  description: description === "" ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description,
});

/** Of several values that a path leads to, the first; null where it leads to none or the value is of another type. */
function cellOf({ column, find }: Printer, obj: Readonly<KubeObject>, now: number): Cell {
  const value = firstOf(find, obj);
  if (value === undefined) return null;
  switch (column.type) {
    case "string":
      return printJsonPathValue(value);
    case "integer":
      return integerCell(value);
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? Number(value) : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? dateCell(value, now) : null;
    default:
      return null;
  }
}

function firstOf(find: JsonPath, obj: Readonly<KubeObject>): unknown {
  try {
    return find(obj)[0]?.[0];
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

function integerCell(value: unknown): Cell {
  return typeof value === "number" ? Math.trunc(value) : typeof value === "bigint" ? value : null;
}

/** As ages in other Tables, but for texts that are no times. */
function dateCell(text: string, now: number): string {
  if (text === "" || text === "null") return "<unknown>";
  try {
    const { seconds, nanos } = parseTime(text);
    return seconds === zeroTimeSeconds && nanos === 0 ? "<unknown>" : humanDuration(now - seconds * 1000 - nanos / 1e6);
  } catch (error) {
    if (error instanceof DecodeError) return "<invalid>";
    throw error;
  }
}

/** Go's zero time, the first second of the year 1. */
const zeroTimeSeconds = -62135596800;
