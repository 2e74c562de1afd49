/** The state of one walk through an object: what it fills in, what it reports, and how much of both there is room for. */
import { compareBytes, DecodeError, DecodeReport, goQuote, type StructType, strictPath, stringifyJson } from "@coxswain/machinery";
import type { Path } from "../structural/field-path.ts";
import type { ValidationBudget } from "../validate/work.ts";

const maxUnknownFields = 1000;
const maxReportedCharacters = 1024 * 1024;
/** Of all defaults that one object is given, about: lists can make much of little. */
const maxDefaultBytes = 4 * 1024 * 1024;

export interface ReadingOptions {
  /** `refused`: what embedded metadata may not hold is an error; `dropped`: it goes, as from old objects in the store. */
  readonly malformed: "refused" | "dropped";
  /** Whether unknown fields are reported. */
  readonly reports?: boolean;
  /** Absent means filled in. */
  readonly defaults?: "missing";
  /** `kept`: where none may be and no default comes, it is for validation to refuse. */
  readonly nulls?: "kept";
  readonly validationBudget?: ValidationBudget | undefined;
}

/** One reading of one object. */
export class Reading {
  readonly metadata: StructType;
  readonly malformed: ReadingOptions["malformed"];
  readonly fillsDefaults: boolean;
  readonly keepsNulls: boolean;
  changed = false;
  readonly #wanted: boolean;
  #unknown: string[] | undefined;
  #characters = 0;
  #embedded: DecodeReport | undefined;
  readonly #validationBudget: ValidationBudget | undefined;
  #defaultBytes = 0;

  /** @param metadata the type of ObjectMeta */
  constructor(metadata: StructType, { malformed, reports = false, defaults, nulls, validationBudget }: ReadingOptions) {
    this.#validationBudget = validationBudget;
    this.metadata = metadata;
    this.malformed = malformed;
    this.fillsDefaults = defaults === undefined;
    this.keepsNulls = nulls === "kept";
    this.#wanted = reports;
  }

  /** Gets the unknown fields in embedded metadata; undefined when they are not reported. */
  get embeddedReport(): DecodeReport | undefined {
    if (this.#wanted) this.#embedded ??= new DecodeReport();
    return this.#embedded;
  }

  /** Whether there is room for a default; when not, a write fails and a read returns the rest. */
  admits(value: unknown): boolean {
    this.#defaultBytes += sizeOf(value);
    if (this.#validationBudget !== undefined && this.#defaultBytes > this.#validationBudget.defaultBytes) this.#validationBudget.exceeded();
    if (this.#defaultBytes <= maxDefaultBytes) return true;
    if (this.malformed === "refused") throw new DecodeError("the defaults of all fields together take too much room");
    return false;
  }

  unknownField(path: Path | undefined, key: string): void {
    this.changed = true;
    if (!this.#wanted) return;
    this.#unknown ??= [];
    if (this.#unknown.length >= maxUnknownFields || this.#characters > maxReportedCharacters) return;
    const text = strictPath(path, key);
    this.#unknown.push(text);
    this.#characters += text.length;
  }

  /** In Kubernetes' order: unknown fields, then those of embedded metadata, each sorted. */
  reportTo(report: DecodeReport): void {
    if (this.#unknown !== undefined) for (const path of this.#unknown.sort(compareBytes)) report.problem(`unknown field ${goQuote(path)}`);
    if (this.#embedded !== undefined) for (const problem of [...this.#embedded.problems].sort(compareBytes)) report.problem(problem);
  }
}

/** About the length of a default in JSON; that of a list or an object is not worth knowing twice. */
const sizes = new WeakMap<object, number>();

function sizeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return typeof value === "string" ? value.length + 16 : 16;
  let size = sizes.get(value);
  if (size === undefined) {
    size = stringifyJson(value).length + 16;
    sizes.set(value, size);
  }
  return size;
}
