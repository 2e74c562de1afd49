/**
 * Tables: what `kubectl get` shows, with the cells made by the server.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
 */
import type { Cell, ResourceDefinition, TableColumnDefinition } from "@coxswain/api";
import { badRequest, field, type KubeObject, type ListMeta, stringifyJson } from "@coxswain/machinery";
import type { MetaVersion } from "../contracts/representation.ts";
import { metaApiVersion, partialObjectMetadata } from "./metadata.ts";

/** What each row carries beside its cells. */
export type IncludeObject = "None" | "Metadata" | "Object";

export interface TableOptions {
  /** Milliseconds since the epoch: what ages count from. */
  readonly now: number;
  readonly includeObject?: IncludeObject;
  /** Of the list; for a single object its own resourceVersion. */
  readonly metadata?: ListMeta;
  /** False for every event of a watch but the first. */
  readonly headers?: boolean;
  readonly version?: MetaVersion;
}

export interface TableRow {
  readonly cells: readonly Cell[];
  readonly object: KubeObject | null;
}

export interface Table {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly TableColumnDefinition[] | null;
  readonly rows: readonly TableRow[];
}

/** An object with its apiVersion and kind; `text` is its JSON where the caller has it already. */
export interface TableSource {
  readonly object: KubeObject;
  readonly text?: string;
}

/** The value of the query parameter. @throws badRequest() */
export function parseIncludeObject(value: string | null | undefined): IncludeObject {
  if (value === undefined || value === null || value === "") return "Metadata";
  if (value === "None" || value === "Metadata" || value === "Object") return value;
  const { field: path, message } = field.invalid("includeObject", value, "must be 'Metadata', 'Object', 'None', or empty");
  throw badRequest(`Unable to convert to Table as requested: ${path}: ${message}`);
}

/** A Table as an object: for one object, for watch events and for YAML. */
export const tableFor = (definition: ResourceDefinition, sources: Iterable<TableSource>, opts: TableOptions): Table => ({
  ...tableHead(definition, opts),
  rows: [...tableRows(definition, sources, opts)],
});

/** Its rows one by one. */
export function* tableRows(definition: ResourceDefinition, sources: Iterable<TableSource>, opts: TableOptions): Generator<TableRow> {
  for (const { object } of sources) yield { cells: cellsOf(definition, object, opts.now), object: rowObject(definition, object, opts) };
}

/** The Table of a single object. */
export const tableOfObject = (definition: ResourceDefinition, source: TableSource, opts: TableOptions): Table => {
  const { resourceVersion } = source.object.metadata ?? {};
  return tableFor(definition, [source], { ...opts, metadata: resourceVersion === undefined ? {} : { resourceVersion } });
};

/** The same as JSON text, one piece for each row, for lists that are too long to build at once. */
export function* tableText(definition: ResourceDefinition, sources: Iterable<TableSource>, opts: TableOptions): Generator<string> {
  let before = `${stringifyJson(tableHead(definition, opts)).slice(0, -1)},"rows":[`;
  for (const source of sources) {
    yield before + rowText(definition, source, opts);
    before = ",";
  }
  yield before === "," ? "]}" : `${before}]}`;
}

function rowText(definition: ResourceDefinition, { object, text }: TableSource, opts: TableOptions): string {
  const known = opts.includeObject === "Object" ? text : undefined;
  const shown = known ?? stringifyJson(rowObject(definition, object, opts));
  return `{"cells":${stringifyJson(cellsOf(definition, object, opts.now))},"object":${shown}}`;
}

/** What comes before its rows. */
export const tableHead = (
  definition: ResourceDefinition,
  { metadata = {}, headers = true, version }: TableOptions,
): Omit<Table, "rows"> => ({
  kind: "Table",
  apiVersion: metaApiVersion(version),
  metadata,
  columnDefinitions: headers ? columnsOf(definition) : null,
});

/** Clients read name, type, format, description and priority of each. */
const columnsOf = ({ strategy }: ResourceDefinition): readonly TableColumnDefinition[] => strategy.columns?.definitions ?? plainColumns;

function cellsOf({ strategy }: ResourceDefinition, object: KubeObject, now: number): readonly Cell[] {
  if (strategy.columns !== undefined) return strategy.columns.cells(object, now);
  return [object.metadata?.name ?? "", object.metadata?.creationTimestamp ?? null];
}

function rowObject(definition: ResourceDefinition, object: KubeObject, opts: TableOptions): KubeObject | null {
  const { group, version, kind } = definition;
  switch (opts.includeObject) {
    case "None":
      return null;
    case "Object":
      if (object.kind !== undefined) return object;
      return { kind, apiVersion: group === "" ? version : `${group}/${version}`, ...object };
    default:
      return partialObjectMetadata(definition, object, opts.version);
  }
}

const plainColumns: readonly TableColumnDefinition[] = [
  { name: "Name", type: "string", format: "name", description: "The name, unique among the live objects of its kind.", priority: 0 },
  { name: "Created At", type: "date", format: "", description: "When the server created the object.", priority: 0 },
];
