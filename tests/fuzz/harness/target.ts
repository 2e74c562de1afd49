/** What is fuzzed: a piece of code, inputs for it, and a judgement of what it makes of them. */
import type { Random } from "./random.ts";

export interface FuzzTarget {
  readonly name: string;
  /** Folders or files below `packages` whose blocks count as covered. */
  readonly modules: readonly string[];
  /** Characters of inputs are bytes. */
  readonly bytes?: boolean;
  /** Words that mean something in the language of the inputs. */
  readonly dictionary: readonly string[];
  /** Inputs to start from; those in `corpus/<name>.json` are more. */
  readonly seeds: readonly string[];
  /** A new input from the rules of the language. */
  generate?(random: Random): string;
  /** What has to be there before the first input; ended when the target's run ends. */
  open?(): Promise<Judge>;
  readonly judge?: Judge["judge"];
  /** Inputs of a run that only samples. */
  readonly sample?: number;
  /** Work may grow faster than the input, up to a bound of its own; says which. */
  readonly boundedBy?: string;
}

export interface Judge extends Partial<AsyncDisposable> {
  /** Whether the input was taken, or refused as it should be. Throws for everything that must not be. */
  judge(input: string): boolean | Promise<boolean>;
}

/** The input's characters as bytes. */
export const bytesOf = (input: string): Uint8Array => Buffer.from(input, "latin1");

/** Bytes as an input. */
export const inputOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

/** The outcome, or undefined where it was refused with an error of the expected kind; others are flaws. */
export function unlessRefused<T>(work: () => T, isExpected: (error: unknown) => boolean): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw error;
  }
}
