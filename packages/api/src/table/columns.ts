/**
 * The columns of a kind's Table, each with what it shows of an object.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
 */
import type { KubeObject } from "@coxswain/machinery";
import { ageCell } from "./age.ts";

/** A Table cell. Times are rendered to ages by the author through `ageCell`. */
export type Cell = string | number | bigint | boolean | null;

/** The head of a column as clients read it, of the meta/v1 type of that name. */
export interface TableColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, more only with -o wide. */
  readonly priority: number;
}

/** One column: its head, and the cell of an object. */
export interface Column<T> {
  readonly name: string;
  /** A type of OpenAPI: `string`, `integer`, `boolean`, `date`. */
  readonly type: string;
  /** Default: none. */
  readonly format?: string;
  /** 0 is always shown, more only with -o wide. Default 0. */
  readonly priority?: number;
  /** What it means, for people. Default: nothing, for a column that explains itself. */
  readonly description?: string;
  /** Rows have the cell, but clients see no head for it: an error of Kubernetes that its clients know. Default false. */
  readonly headless?: boolean;
  /** @param now milliseconds since the epoch, from which ages count */
  value(obj: Readonly<T>, now: number): Cell;
}

/** The columns of a kind as the server uses them. */
export interface TableColumns<T extends object = KubeObject> {
  readonly definitions: readonly TableColumnDefinition[];
  /** One cell for each definition, in their order. @param now milliseconds since the epoch */
  cells(obj: Readonly<T>, now: number): readonly Cell[];
}

/** The columns of a kind whose cells follow from the object alone. */
export const defineColumns = <T extends object>(columns: readonly Column<T>[]): TableColumns<T> => new Columns(columns);

/** The columns of a kind whose cells show what `rowOf` makes of an object, once for each row. */
export const defineColumnsOf = <T extends object, Row extends object>(
  rowOf: (obj: Readonly<T>, now: number) => Row,
  columns: readonly Column<Row>[],
): TableColumns<T> => new RowColumns(rowOf, columns);

class Columns<T extends object> implements TableColumns<T> {
  readonly #columns: readonly Column<T>[];
  #definitions: readonly TableColumnDefinition[] | undefined;

  constructor(columns: readonly Column<T>[]) {
    this.#columns = columns;
  }

  /** Made when they are first asked for: most of a server's Tables never are. */
  get definitions(): readonly TableColumnDefinition[] {
    this.#definitions ??= this.#columns.filter(({ headless }) => headless !== true).map(definitionOf);
    return this.#definitions;
  }

  cells(obj: Readonly<T>, now: number): readonly Cell[] {
    return this.#columns.map((column) => column.value(obj, now));
  }
}

class RowColumns<T extends object, Row extends object> implements TableColumns<T> {
  readonly #rowOf: (obj: Readonly<T>, now: number) => Row;
  readonly #columns: Columns<Row>;

  constructor(rowOf: (obj: Readonly<T>, now: number) => Row, columns: readonly Column<Row>[]) {
    this.#rowOf = rowOf;
    this.#columns = new Columns(columns);
  }

  get definitions(): readonly TableColumnDefinition[] {
    return this.#columns.definitions;
  }

  cells(obj: Readonly<T>, now: number): readonly Cell[] {
    return this.#columns.cells(this.#rowOf(obj, now), now);
  }
}

const definitionOf = <T>({ name, type, format = "", priority = 0, description = "" }: Column<T>): TableColumnDefinition => ({
  name,
  type,
  format,
  priority,
  description,
});

/** The object's name: the first column of every kind. */
export const nameColumn: Column<KubeObject> = {
  name: "Name",
  type: "string",
  format: "name",
  description: "The name, unique among the live objects of its kind in its namespace.",
  value: ({ metadata }) => metadata?.name ?? "",
};

/** The object's age: the last column of most kinds. */
export const ageColumn: Column<KubeObject> = {
  name: "Age",
  type: "string",
  description: "How long ago the object was created.",
  value: ({ metadata }, now) => ageCell(metadata?.creationTimestamp, now),
};

/** For kinds that show nothing of their own. */
export const nameAndAge: TableColumns = defineColumns([nameColumn, ageColumn]);

/** For kinds of which Kubernetes shows what its generic Table has. */
export const nameAndCreationTime: TableColumns = defineColumns<KubeObject>([
  nameColumn,
  {
    name: "Created At",
    type: "date",
    description: "When the server created the object.",
    value: ({ metadata }) => metadata?.creationTimestamp ?? null,
  },
]);
