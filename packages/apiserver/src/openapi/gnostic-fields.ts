/**
 * How JSON becomes the messages of gnostic: tables say which member is which field.
 * @see https://github.com/google/gnostic-models
 */
import { blockYaml } from "./block-yaml.ts";
import type { FieldWriter } from "./field-writer.ts";

/** Writes one field. The fields of a message are written from the last to the first. */
export type Write = (out: FieldWriter, number: number, value: unknown) => void;
type Field = readonly [number: number, write: Write];
/** By the member's name in JSON. `x-` stands for all extensions. */
export type Fields = Readonly<Record<string, Field>>;

export const text: Write = (out, number, value) => out.text(number, String(value));
export const flag: Write = (out, number, value) => {
  if (value === true) out.whole(number, 1);
};
/** Within a choice, where false is not the same as nothing. */
export const chosenFlag: Write = (out, number, value) => out.whole(number, value === true ? 1 : 0);
export const whole: Write = (out, number, value) => out.whole(number, Number(value));
export const double: Write = (out, number, value) => out.double(number, Number(value));
/** An Any holds YAML. */
export const any: Write = (out, number, value) => out.message(number, () => out.text(2, blockYaml(value)));
export const each =
  (write: Write): Write =>
  (out, number, value) => {
    for (const item of asList(value).toReversed()) write(out, number, item);
  };
/** A JSON object as a message with a repeated field of named values. */
export const map = (write: Write, entry = 1): Write => {
  const field: Field = [entry, write];
  return (out, number, value) =>
    out.message(number, () => {
      for (const [name, item] of Object.entries(asObject(value)).toReversed()) writeNamed(out, field, name, item);
    });
};
export const message =
  (fields: Fields): Write =>
  (out, number, value) =>
    out.message(number, () => writeFields(out, fields, asObject(value)));
/** A message whose only field is a choice, made by what the value looks like. */
export const choice =
  (choose: (value: Readonly<Record<string, unknown>>) => readonly [number: number, write: Write]): Write =>
  (out, number, value) => {
    const [inner, write] = choose(asObject(value));
    out.message(number, () => write(out, inner, value));
  };
export const boxed =
  (inner: number, write: Write): Write =>
  (out, number, value) =>
    out.message(number, () => write(out, inner, value));

export function writeFields(out: FieldWriter, fields: Fields, value: Readonly<Record<string, unknown>>): void {
  for (const [name, member] of Object.entries(value).toReversed()) {
    const extension = name.startsWith("x-");
    const field = fields[extension ? "x-" : name];
    if (field === undefined) continue;
    const [number, write] = field;
    if (extension) writeNamed(out, field, name, member);
    else write(out, number, member);
  }
}

function writeNamed(out: FieldWriter, [number, write]: Field, name: string, value: unknown): void {
  out.message(number, () => {
    write(out, 2, value);
    out.text(1, name);
  });
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
export const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};
