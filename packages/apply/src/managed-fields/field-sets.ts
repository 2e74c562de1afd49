/** Sets of fields as they were read last: objects of one kind that the same clients write have the same ones. */
import type { FieldSet } from "../field-path/field-set.ts";
import { parseFieldsV1 } from "../field-path/fields-v1.ts";

/** Bytes, about, of the longest text that is kept, and how many are. */
const maxText = 8 * 1024;
const maxSets = 256;

/** Keeps the sets found last by their JSON, so that what is known of one holds for all that are the same. */
export class FieldSets {
  readonly #byText = new Map<string, FieldSet>();

  /** @throws Error when it is not FieldsV1 */
  parse(json: unknown): FieldSet {
    const text = JSON.stringify(json);
    if (text === undefined || text.length > maxText) return parseFieldsV1(json);
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const set = parseFieldsV1(json);
    const [oldest] = this.#byText.size >= maxSets ? this.#byText.keys() : [];
    if (oldest !== undefined) this.#byText.delete(oldest);
    this.#byText.set(text, set);
    return set;
  }
}
