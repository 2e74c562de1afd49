/** What the example for Vitest needs of it: Vitest itself is no dependency here, and its tests are run with it elsewhere. */
declare module "vitest" {
  interface Assertion {
    toMatchObject(expected: unknown): void;
    toEqual(expected: unknown): void;
  }
  type Fn<A extends readonly unknown[] = []> = (...args: A) => unknown;
  export const test: { (name: string, fn: Fn): void; each<T>(cases: readonly T[]): (name: string, fn: Fn<[T]>) => void };
  export const describe: (name: string, fn: () => void) => void;
  export const beforeEach: (fn: Fn) => void;
  export const afterEach: (fn: Fn) => void;
  export const expect: (actual: unknown) => Assertion;
}
