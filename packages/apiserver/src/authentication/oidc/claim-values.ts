/** Claims of a token as expressions see them: numbers are doubles, and fields of objects within may be named by their escaped names. */
import { CelList, CelMap, type CelValue } from "@coxswain/cel";
import { unescapeName } from "@coxswain/schema";

/** Claims by name. */
export type Claims = Readonly<Record<string, unknown>>;

/** The claims themselves go by their own names alone. */
export const claimsValue = (claims: Claims): CelValue => new ObjectValue(claims, (name) => name);

/** A user or a part of one. */
export function jsonValue(json: unknown): CelValue {
  switch (typeof json) {
    case "string":
    case "number":
    case "boolean":
      return json;
    default:
      if (Array.isArray(json)) return new ListValue(json);
      return typeof json === "object" && json !== null ? new ObjectValue(json as Claims, unescaped) : null;
  }
}

const unescaped = (name: string): string => unescapeName(name) ?? name;

class ObjectValue extends CelMap {
  readonly #json: Claims;
  readonly #nameOf: (key: string) => string;

  constructor(json: Claims, nameOf: (key: string) => string) {
    super();
    this.#json = json;
    this.#nameOf = nameOf;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== "string") return undefined;
    const name = this.#nameOf(key);
    return Object.hasOwn(this.#json, name) ? jsonValue(this.#json[name]) : undefined;
  }

  keys(): Iterable<CelValue> {
    return Object.keys(this.#json);
  }
}

class ListValue extends CelList {
  readonly #json: readonly unknown[];

  constructor(json: readonly unknown[]) {
    super();
    this.#json = json;
  }

  get size(): number {
    return this.#json.length;
  }

  at(index: number): CelValue {
    return jsonValue(this.#json[index]);
  }
}
