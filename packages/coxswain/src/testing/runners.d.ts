/** What this repository needs of Vitest and Jest: they are no dependencies here, and what is for them is run with them elsewhere. */
declare module "vitest" {
  interface Matchers<R extends void | Promise<void>, T> {
    toMatchObject(expected: unknown): R;
    toEqual(expected: unknown): R;
    toThrow(message: string): R;
    readonly not: Matchers<R, T>;
    readonly rejects: Matchers<Promise<void>, T>;
  }
  type Fn<A extends readonly unknown[] = []> = (...args: A) => unknown;
  interface TestResult {
    readonly state: string;
    readonly errors?: readonly { message: string; stack?: string }[];
  }
  type TestHook = (fn: Fn<[{ readonly task: { readonly id: string; readonly name: string; readonly result?: TestResult } }]>) => void;
  interface TestFunction {
    (name: string, fn: Fn): void;
    each<T>(cases: readonly T[]): (name: string, fn: Fn<[T]>) => void;
    fails(name: string, options: { readonly timeout: number }, fn: Fn): void;
  }
  export const test: TestFunction;
  export const describe: (name: string, fn: () => void) => void;
  export const beforeAll: (fn: Fn) => void;
  export const afterAll: (fn: Fn) => void;
  export const beforeEach: TestHook;
  export const afterEach: TestHook;
  export const expect: { <T>(actual: T): Matchers<void, T>; extend(matchers: object): void };
}

declare module "expect" {
  interface Matchers<R extends void | Promise<void>, T> {
    toEqual(expected: unknown): R;
    readonly not: Matchers<R, T>;
  }
}

declare module "@jest/globals" {
  type Hook = (fn: () => unknown) => void;
  export const beforeAll: Hook;
  export const afterAll: Hook;
  export const beforeEach: Hook;
  export const afterEach: Hook;
  export const expect: { (actual: unknown): object; extend(matchers: object): void; getState(): { readonly currentTestName?: string } };
}
