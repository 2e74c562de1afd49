/** Conditions: `[?(@.type == "Ready")]`. Values of different kinds do not compare. */
import { compareBytes, formatGoValue } from "@coxswain/machinery";
import type { Step } from "./budget.ts";
import { JsonPathError, type Node } from "./node.ts";

type Filter = Extract<Node, { type: "filter" }>;
type Kind = "int" | "float" | "bool" | "string";

export function compileFilter({ left, operator, right }: Filter, compile: (nodes: readonly Node[]) => Step): Step {
  const leftOf = compile(left);
  const rightOf = compile(right);
  const kinds = [constantKind(left), constantKind(right)] as const;
  return (input, budget) => {
    const passes = (item: unknown): boolean => {
      if (operator === "exists") return exists(() => leftOf([item], budget));
      const a = leftOf([item], budget);
      if (!isOne(a)) return false;
      const b = rightOf([item], budget);
      return isOne(b) && compare(operator, a[0], b[0], kinds);
    };
    return input.flatMap((value) => {
      if (!Array.isArray(value)) throw new JsonPathError(`${formatGoValue(value)} is not array or slice and cannot be filtered`);
      budget.left -= value.length;
      return value.filter(passes);
    });
  };
}

/** client-go takes a path that cannot be applied, such as an index that is out of bounds, for one that leads somewhere. */
function exists(find: () => readonly unknown[]): boolean {
  try {
    return find().length > 0;
  } catch (error) {
    if (error instanceof JsonPathError) return true;
    throw error;
  }
}

function isOne(values: readonly unknown[]): boolean {
  if (values.length > 1) throw new JsonPathError("can only compare one element at a time");
  return values.length === 1;
}

function compare(operator: string, a: unknown, b: unknown, [kindA, kindB]: readonly (Kind | undefined)[]): boolean {
  const test = tests.get(operator);
  if (test === undefined) throw new JsonPathError(`unrecognized filter operator ${operator}`);
  const kind = kindA ?? kindOf(a);
  if (kind !== (kindB ?? kindOf(b))) throw new JsonPathError("incompatible types for comparison");
  if (kind === "bool" && operator !== "==" && operator !== "!=") throw new JsonPathError("invalid type for comparison");
  return test(order(a, b));
}

const tests: ReadonlyMap<string, (order: number) => boolean> = new Map([
  ["==", (order) => order === 0],
  ["!=", (order) => order !== 0],
  ["<", (order) => order < 0],
  [">", (order) => order > 0],
  ["<=", (order) => order <= 0],
  [">=", (order) => order >= 0],
]);

/** Of values of one kind; numbers and bigints compare exactly. */
function order(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return compareBytes(a, b);
  const [left, right] = [a as number, b as number];
  return left < right ? -1 : left > right ? 1 : 0;
}

function kindOf(value: unknown): Kind {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return Number.isSafeInteger(value) ? "int" : "float";
    default:
      throw new JsonPathError("invalid type for comparison");
  }
}

/** `1.0` in a path is a float, which its value does not show. */
function constantKind(nodes: readonly Node[]): Kind | undefined {
  const last = nodes.at(-1);
  return last?.type === "constant" ? last.kind : undefined;
}
