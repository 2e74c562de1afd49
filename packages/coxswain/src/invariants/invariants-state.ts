/** How far invariants were checked, and what was found, from one start of a server to the next. */
import { createHash } from "node:crypto";
import type { KeptViolation, LoadedInvariant, ResumedWatch, Violation } from "@coxswain/apiserver";
import { isObject, parseJson } from "@coxswain/machinery";
import { readIfThere, writePrivately } from "../access/private-file.ts";

/** Of one invariant. */
export interface InvariantState extends ResumedWatch {
  readonly name: string;
  /** Of its definition: one that was changed is another. */
  readonly hash: string;
}

const version = 1;

export const hashOf = ({ definition }: LoadedInvariant): string => createHash("sha256").update(definition).digest("base64url");

/** None where there is no file, or one of another version: all is checked anew then. @throws Error for a file that is not as it was written here */
export function readInvariantsState(path: string): readonly InvariantState[] {
  const text = readIfThere(path);
  const state = text === undefined ? undefined : parseJson(text);
  return isObject(state) && state.version === version && Array.isArray(state.invariants) ? (state.invariants as InvariantState[]) : [];
}

/** Without chains, which have values of objects: they are made again from the history. */
export function writeInvariantsState(path: string, invariants: readonly InvariantState[], keepsMessages: boolean): void {
  const kept = invariants.map((state) => ({ ...state, violations: state.violations.map((one) => withoutValues(one, keepsMessages)) }));
  writePrivately(path, `${JSON.stringify({ version, invariants: kept })}\n`);
}

function withoutValues({ violation, ...rest }: KeptViolation, keepsMessages: boolean): KeptViolation {
  const { chain: _, problem, ...others } = violation;
  const isShown = keepsMessages && !isAboutSecrets(violation);
  return { ...rest, violation: { ...others, chain: undefined, problem: isShown ? problem : "it does not hold" } };
}

/** What is said of it must not say what is in one. */
export const isAboutSecrets = ({ object, related }: Pick<Violation, "object" | "related">): boolean =>
  [...(object === undefined ? [] : [object]), ...related].some(({ group, resource }) => group === "" && resource === "secrets");
