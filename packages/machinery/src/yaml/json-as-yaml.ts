/** Clients that apply send JSON and call it YAML, which it is: such a text needs no parser of YAML. */
import { parseExactly } from "../json/json.ts";
import { DecodeError } from "../values/decode-error.ts";
import { isObject } from "../values/json-object.ts";

/** An object that YAML 1.1 reads exactly as JSON does; undefined for whatever else, and wherever that is not certain. */
export function parseJsonAsYaml(text: string): unknown {
  if (!text.startsWith("{") || !sameCharacters.test(text) || otherMeaning.test(text)) return undefined;
  try {
    const value = parseExactly(text, { fractions: false });
    return hasPlainKeys(value) ? value : undefined;
  } catch (error) {
    // YAML has words of its own for what is too deep.
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** One line, without what YAML takes for the end of one, or for no character at all. */
const sameCharacters = /^[ -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]*\n?$/;

/** An escaped slash, which YAML 1.1 does not know, and whatever may be a number below zero: JSON has a zero among them. */
const otherMeaning = /\\\/|[:,[] ?-/;

/** YAML takes only so much, as it is written, for a key: 1024 characters. And one key says that another object is merged. */
const maxKeyLength = 128;

function hasPlainKeys(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(hasPlainKeys);
  if (!isObject(value)) return true;
  for (const key in value) if (key.length > maxKeyLength || key === "<<" || !hasPlainKeys(value[key])) return false;
  return true;
}
