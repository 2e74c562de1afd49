/** Reads members of parsed YAML, each with the type it must have. */
import { KubeconfigError } from "./kubeconfig-error.ts";

/** What is absent or null reads as empty. @throws KubeconfigError that names the member when it is something else */
export class Reader {
  /** Where it stands: `/home/jane/.kube/config: users[0].user`. */
  readonly at: string;
  readonly #value: Readonly<Record<string, unknown>>;

  constructor(at: string, value: unknown) {
    this.at = at;
    if (value !== null && value !== undefined && (typeof value !== "object" || Array.isArray(value))) throw wrong(at, "a map", value);
    this.#value = (value ?? {}) as Readonly<Record<string, unknown>>;
  }

  has(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  raw(name: string): unknown {
    return (Object.hasOwn(this.#value, name) ? this.#value[name] : undefined) ?? undefined;
  }

  text(name: string): string {
    return asText(this.#path(name), this.raw(name) ?? "");
  }

  flag(name: string): boolean {
    const value = this.raw(name) ?? false;
    if (typeof value !== "boolean") throw wrong(this.#path(name), "true or false", value);
    return value;
  }

  /** Base64. */
  bytes(name: string): Uint8Array | undefined {
    const text = this.text(name).replace(/\s+/g, "");
    if (text === "") return undefined;
    try {
      return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    } catch (error) {
      throw new KubeconfigError(`${this.#path(name)} is not base64`, { cause: error });
    }
  }

  member(name: string): Reader {
    return new Reader(this.#path(name), this.raw(name));
  }

  list(name: string): readonly Reader[] {
    return this.#array(name).map((value, index) => new Reader(`${this.#path(name)}[${index}]`, value));
  }

  texts(name: string): readonly string[] {
    return this.#array(name).map((value, index) => asText(`${this.#path(name)}[${index}]`, value));
  }

  /** All members, each a list of texts. */
  textLists(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(Object.keys(this.#value).map((name) => [name, this.texts(name)]));
  }

  #array(name: string): readonly unknown[] {
    const value = this.raw(name) ?? [];
    if (!Array.isArray(value)) throw wrong(this.#path(name), "a list", value);
    return value;
  }

  #path(name: string): string {
    return this.at.includes(": ") ? `${this.at}.${name}` : `${this.at}: ${name}`;
  }
}

function asText(at: string, value: unknown): string {
  if (typeof value !== "string") throw wrong(at, "a text (numbers and the like need quotes)", value);
  return value;
}

const wrong = (at: string, want: string, value: unknown): KubeconfigError =>
  new KubeconfigError(`${at} must be ${want}, not ${Array.isArray(value) ? "a list" : typeof value === "object" ? "a map" : typeof value}`);
