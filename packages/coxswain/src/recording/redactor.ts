/** Takes the values of Secrets out of a recording, wherever they stand in it. */
import { isObject, type KubeObject, parseJson, stringifyJson, trimRight } from "@coxswain/machinery";
import type { RecordingRecord } from "./format.ts";

/** Shorter values are replaced in Secrets alone: elsewhere they would be found where nobody means them. Characters. */
const minLength = 6;
/** Of each value, what is looked for first. */
const soughtLength = 24;
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** What a value reads like, and what stands for it. */
interface Known {
  readonly text: string;
  readonly placeholder: string;
}

/**
 * Equal values get the same placeholder, others another one, so that it is still seen when a value changes. Values are known once they were
 * learned, or stood in a record before.
 */
export class Redactor {
  readonly #numbers = new Map<string, number>();
  readonly #known: Known[] = [];
  #sought: RegExp | undefined;

  /** Remembers the values of an object, if it is a Secret. */
  learn(object: KubeObject): void {
    if (isSecret(object)) this.#learnAll(object);
  }

  /** The record without them. */
  redacted<R extends RecordingRecord>(record: R): R {
    const object = "object" in record ? record.object : undefined;
    const own = object !== undefined && isSecret(object) ? { ...record, object: this.#withoutValues(object) } : record;
    if (this.#known.length === 0) return own;
    this.#sought ??= new RegExp(
      [...new Set(this.#known.map(({ text }) => escaped(JSON.stringify(text.slice(0, soughtLength)).slice(1, -1))))].join("|"),
    );
    return this.#sought.test(stringifyJson(own)) ? (this.#cleaned(own) as R) : own;
  }

  #learnAll(object: Readonly<Record<string, unknown>>): void {
    for (const value of stringsIn(object.data)) this.#placeholder(Buffer.from(value, "base64").toString("base64"), "base64");
    for (const value of stringsIn(object.stringData)) this.#placeholder(Buffer.from(value).toString("base64"), "base64");
    const applied = appliedIn(object);
    if (isObject(applied)) this.#learnAll({ data: applied.data, stringData: applied.stringData });
  }

  #withoutValues(object: KubeObject): KubeObject {
    this.#learnAll(object);
    const copy: Record<string, unknown> = { ...object };
    if (isObject(object.data))
      copy.data = mapped(object.data, (value) => this.#placeholder(Buffer.from(value, "base64").toString("base64"), "base64"));
    if (isObject(object.stringData))
      copy.stringData = mapped(object.stringData, (value) => this.#placeholder(Buffer.from(value).toString("base64"), "text"));
    const annotations = object.metadata?.annotations;
    if (annotations?.[lastApplied] !== undefined)
      copy.metadata = { ...object.metadata, annotations: { ...annotations, [lastApplied]: "redacted" } };
    return copy as KubeObject;
  }

  /** What stands for a value, which is given in base64. */
  #placeholder(base64: string, form: "base64" | "text"): string {
    const number = this.#numbers.get(base64) ?? this.#remember(base64);
    const text = `redacted-${number}`;
    return form === "text" ? text : Buffer.from(text).toString("base64");
  }

  #remember(base64: string): number {
    const number = this.#numbers.size + 1;
    this.#numbers.set(base64, number);
    const bytes = Buffer.from(base64, "base64");
    const text = bytes.toString();
    const placeholder = `redacted-${number}`;
    const isText = Buffer.from(text).equals(bytes);
    const forms = [...(isText ? formsOf(text) : []), base64, trimRight(base64, "="), bytes.toString("base64url")];
    for (const form of new Set(forms)) if (form.length >= minLength) this.#known.push({ text: form, placeholder });
    // The longest first: what is a part of another must not be replaced in it.
    this.#known.sort((a, b) => b.text.length - a.text.length);
    this.#sought = undefined;
    return number;
  }

  #cleaned(value: unknown): unknown {
    if (typeof value === "string") return this.#cleanedText(value);
    if (Array.isArray(value)) return value.map((one) => this.#cleaned(one));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [this.#cleanedText(name), this.#cleaned(one)]));
  }

  #cleanedText(text: string): string {
    let cleaned = text;
    for (const { text: secret, placeholder } of this.#known)
      if (cleaned.includes(secret)) cleaned = cleaned.replaceAll(secret, placeholder);
    return cleaned;
  }
}

/** What a text reads like in a text, in JSON that is in it, and in a URL. */
function formsOf(text: string): readonly string[] {
  const escapedOnce = JSON.stringify(text).slice(1, -1);
  const well = text.toWellFormed();
  return [
    ...[text, text.trim(), escapedOnce, JSON.stringify(escapedOnce).slice(1, -1)],
    ...[encodeURIComponent(well), new URLSearchParams({ a: well }).toString().slice("a=".length)],
  ];
}

const isSecret = ({ kind, apiVersion }: KubeObject): boolean => kind === "Secret" && apiVersion === "v1";

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

const stringsIn = (values: unknown): readonly string[] =>
  isObject(values) ? Object.values(values).filter((value) => typeof value === "string") : [];

const mapped = (values: Readonly<Record<string, unknown>>, to: (value: string) => string): object =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? to(value) : value]));

/** What was applied, as an annotation has it. */
function appliedIn({ metadata }: Readonly<Record<string, unknown>>): unknown {
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  const text = isObject(annotations) ? annotations[lastApplied] : undefined;
  if (typeof text !== "string") return undefined;
  try {
    return parseJson(text);
  } catch {
    // Whoever wrote it, it is replaced as a whole.
    return undefined;
  }
}
