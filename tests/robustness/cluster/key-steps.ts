/** What each operation means for one key: the model that a history is compared with. */
import { isWrite, type Operation, type Version, withToken } from "./history.ts";

/** What a key has; undefined while there is none. A revision that no operation names is undefined. */
export type KeyState = { readonly value: string; readonly revision: number | undefined } | undefined;

export type KeyStep =
  /** It has shown this, or that there is none; a list at a revision of its own. */
  | { readonly kind: "read"; readonly seen: KeyState; readonly revision?: number }
  /** There is one, for a create has failed. */
  | { readonly kind: "exists" }
  /** There is one of another revision. */
  | { readonly kind: "conflict"; readonly expected: number }
  | {
      readonly kind: "put";
      readonly on: "absent" | "present" | "any";
      readonly expected: number | undefined;
      readonly valueAfter: (before: string) => string;
      readonly revision: number | undefined;
      readonly answered: string | undefined;
    }
  | { readonly kind: "delete"; readonly expected: number | undefined; readonly revision: number | undefined };

export interface KeyOperation {
  readonly operation: Operation;
  /** From when on it may take effect: the moment of its call, or a later one. */
  readonly call: number;
  /** Infinity where the outcome is unknown: it may take effect at any later time. */
  readonly return: number;
  readonly step: KeyStep;
}

/** The operations that say or change something of the key, by their calls; a list is a read of each key. */
export function keyOperations(
  key: string,
  operations: readonly Operation[],
  windowOf: (operation: Operation) => { readonly call: number; readonly return: number } = (operation) => operation,
): KeyOperation[] {
  const steps = operations.flatMap((operation): KeyOperation[] => {
    const step = stepOf(key, operation);
    if (step === undefined) return [];
    const { call, return: returned } = windowOf(operation);
    return [{ operation, call, return: operation.outcome.kind === "unknown" ? Number.POSITIVE_INFINITY : returned, step }];
  });
  return steps.sort((a, b) => a.call - b.call || a.return - b.return);
}

/** undefined: the operation is another key's, or says nothing of what the newest state is. */
function stepOf(key: string, operation: Operation): KeyStep | undefined {
  if (operation.do === "list") {
    if (operation.at !== "" || operation.outcome.kind !== "ok") return undefined;
    const { items, revision } = operation.outcome;
    return { kind: "read", seen: seen(items.find((item) => item.key === key)), revision };
  }
  if (operation.key !== key) return undefined;
  if (operation.do === "get" && (operation.at !== "" || operation.outcome.kind === "unknown")) return undefined;
  if (operation.outcome.kind === "failed") return stepOfFailed(operation, operation.outcome.reason);
  return operation.do === "get"
    ? { kind: "read", seen: seen(operation.outcome.kind === "ok" ? operation.outcome.item : undefined) }
    : stepOfWrite(operation);
}

function stepOfFailed(operation: Operation, reason: string): KeyStep | undefined {
  if (reason === "NotFound") return { kind: "read", seen: undefined };
  if (reason === "AlreadyExists") return { kind: "exists" };
  const expected = "expectedRevision" in operation ? operation.expectedRevision : undefined;
  return reason === "Conflict" && expected !== undefined ? { kind: "conflict", expected } : undefined;
}

function stepOfWrite(operation: Operation): KeyStep | undefined {
  if (!isWrite(operation)) return undefined;
  const { revision, value: answered } = operation.outcome.kind === "ok" ? operation.outcome : {};
  switch (operation.do) {
    case "create":
      return { kind: "put", on: "absent", expected: undefined, valueAfter: () => operation.value, revision, answered };
    case "update":
      return {
        kind: "put",
        on: "present",
        expected: operation.expectedRevision,
        valueAfter: () => operation.value,
        revision,
        answered,
      };
    case "patch":
    case "apply":
      return {
        kind: "put",
        on: operation.do === "patch" ? "present" : "any",
        expected: undefined,
        valueAfter: (before) => withToken(before, operation.token),
        revision,
        answered,
      };
    case "delete":
      return { kind: "delete", expected: operation.expectedRevision, revision };
  }
}

const seen = (item: Version | undefined): KeyState => item && { value: item.value, revision: item.revision };

/** Whether a step that changes nothing may be where the key has this state. */
export function isConsistent(step: KeyStep, state: KeyState): boolean {
  switch (step.kind) {
    case "read":
      return step.seen?.value === state?.value && (state === undefined || step.seen?.revision === state.revision);
    case "exists":
      return state !== undefined;
    case "conflict":
      return state !== undefined && state.revision !== step.expected;
    default:
      return false;
  }
}

/** The value after a put, `null` after a deletion; undefined where the step cannot take effect. */
export function effectOf(step: KeyStep, state: KeyState): string | null | undefined {
  if (step.kind !== "put" && step.kind !== "delete") return undefined;
  const on = step.kind === "delete" ? "present" : step.on;
  if (on !== "any" && on !== (state === undefined ? "absent" : "present")) return undefined;
  if (step.expected !== undefined && state?.revision !== step.expected) return undefined;
  if (step.kind === "delete") return null;
  const value = step.valueAfter(state?.value ?? "");
  return step.answered === undefined || step.answered === value ? value : undefined;
}
