/** Who wrote each field of an object last. */
import { type FieldChange, type FieldPath, formatPath } from "@coxswain/apply";

/** A field with what wrote it last. */
export interface BlamedField<Made> {
  readonly field: string;
  readonly path: FieldPath;
  readonly made: Made;
}

interface Unknown {
  readonly path: FieldPath;
  /** Of the field, and of all that it is in. */
  readonly texts: readonly string[];
}

/** Goes back through the writes of an object until it is known of each of its fields who wrote it. */
export class Blame<Made> {
  readonly #found: BlamedField<Made>[] = [];
  #unknown: readonly Unknown[];

  /** @param fields that the object has */
  constructor(fields: readonly FieldPath[]) {
    this.#unknown = fields.map((path) => ({ path, texts: path.map((_, i) => textOf(path.slice(0, i + 1))) }));
  }

  get isComplete(): boolean {
    return this.#unknown.length === 0;
  }

  /** The next older write: a field was written by it if it changed it, or brought the list item that it is in. */
  add(made: Made, changes: readonly FieldChange[]): void {
    const written = new Set(changes.flatMap(({ kind, path }) => (kind === "removed" ? [] : [textOf(path)])));
    if (written.size > 0) this.#assign(made, ({ texts }) => texts.some((text) => written.has(text)));
  }

  /** All that is left was there already. */
  addRest(made: Made): void {
    this.#assign(made, () => true);
  }

  get fields(): readonly BlamedField<Made>[] {
    return this.#found.toSorted((a, b) => (a.field < b.field ? -1 : 1));
  }

  #assign(made: Made, isWritten: (one: Unknown) => boolean): void {
    const { wrote = [], others = [] } = Object.groupBy(this.#unknown, (one) => (isWritten(one) ? "wrote" : "others"));
    for (const { path } of wrote) this.#found.push({ field: formatPath(path), path, made });
    this.#unknown = others;
  }
}

/** Paths are equal exactly when these are. */
const textOf = (path: FieldPath): string => path.map(({ text }) => text).join("\0");
