/** Reading JSON that a client may have written into an annotation: whatever is not of the expected type throws TypeError. */

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The list in the annotation; empty when there is none, or when anything in it cannot be read: Kubernetes ignores such
 * annotations too.
 */
export function parseList<T>(text: string | undefined, read: (item: JsonObject) => T): T[] {
  return parseAnnotation(text, (json) => (Array.isArray(json) ? json.map((item) => read(objectOf(item))) : mismatch("a list"))) ?? [];
}

export function parseAnnotation<T>(text: string | undefined, read: (json: unknown) => T): T | undefined {
  if (text === undefined) return undefined;
  try {
    return read(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

export const objectOf = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : mismatch("an object");

export const optional = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
  value === undefined || value === null ? undefined : read(value);

export const stringOf = (value: unknown): string => (typeof value === "string" ? value : mismatch("a string"));

export const integerOf = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : mismatch("an integer"));

/** Quantities may be written as numbers. */
export const quantityOf = (value: unknown): string => (typeof value === "number" ? String(value) : stringOf(value));

/** The object without what is undefined, keeping the order. */
export const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;

/** Fields that may be undefined become optional. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

function mismatch(expected: string): never {
  throw new TypeError(`expected ${expected}`);
}
