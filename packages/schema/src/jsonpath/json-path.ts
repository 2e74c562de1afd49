/**
 * Paths into objects, as printer columns, selectable fields and `kubectl get -o jsonpath` give them.
 * @see https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
import { canonicalJson, getOwn, goDouble, isObject } from "@coxswain/machinery";
import type { Budget, Step } from "./budget.ts";
import { JsonPathError, type Node } from "./node.ts";
import { parseTemplate } from "./parse.ts";
import { compileList } from "./step.ts";

/** One list of values for each `{…}` and for each text between them; members that are missing lead to nothing. @throws JsonPathError */
export type JsonPath = (value: unknown) => readonly (readonly unknown[])[];

/** How many values one search may touch. */
const maxValues = 10_000;
const maxRanges = 100;

/** A template, parsed once: `{.spec.row}`, `{range .items[*]}{.name}{end}`. @throws JsonPathError */
export function parseJsonPath(template: string): JsonPath {
  const nodes = parseTemplate(template);
  const names = fieldsOnly(nodes);
  if (names !== undefined) return (value) => [memberAt(value, names)];
  const { blocks } = blocksOf(nodes, 0, 0);
  return (value) => runBlocks(blocks, value, { left: maxValues });
}

/** What kubectl takes for a path without braces or without its dot: `spec.row`, `.spec.row`, `{spec.row}`. @throws JsonPathError */
export function relaxJsonPath(path: string): string {
  if (path === "") return path;
  const match = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/.exec(path);
  const inner = match?.[1] ?? match?.[2];
  if (inner === undefined) {
    const expected = "'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'";
    throw new JsonPathError(`unexpected path string, expected a ${expected}`);
  }
  return `{.${inner}}`;
}

/** A found value as text: objects and lists as JSON. */
export function printJsonPathValue(value: unknown): string {
  if (value === null) return "<no value>";
  if (typeof value === "object") return canonicalJson(value);
  return typeof value === "number" && !Number.isSafeInteger(value) ? goDouble(value) : String(value);
}

/** The names of a path that is nothing else, as nearly all are. */
function fieldsOnly(nodes: readonly Node[]): readonly string[] | undefined {
  const [list, ...more] = nodes;
  if (list?.type !== "list" || more.length > 0) return undefined;
  const names = list.nodes.map((node) => (node.type === "field" ? node.name : undefined));
  return names.every((name) => name !== undefined) ? names : undefined;
}

function memberAt(value: unknown, names: readonly string[]): readonly unknown[] {
  let member = value;
  for (const name of names) {
    member = isObject(member) ? getOwn(member, name) : undefined;
    if (member === undefined) return [];
  }
  return [member];
}

/** `range` repeats the blocks up to its `end` for each value; without one, all that follow. */
type Block =
  | { readonly type: "find"; readonly find: Step }
  | { readonly type: "range"; readonly find: Step; readonly body: readonly Block[] }
  | { readonly type: "stray end" };

function blocksOf(nodes: readonly Node[], start: number, depth: number): { readonly blocks: readonly Block[]; readonly next: number } {
  if (depth > maxRanges) throw new JsonPathError("too many ranges within each other");
  const blocks: Block[] = [];
  let at = start;
  while (at < nodes.length) {
    const node = nodes[at++];
    if (node === undefined) break;
    const parts = node.type === "list" ? node.nodes : [node];
    const find = compileList(parts.filter((part) => part.type !== "identifier" || (part.name !== "range" && part.name !== "end")));
    if (names(parts, "end")) {
      if (depth > 0) return { blocks, next: at };
      blocks.push({ type: "stray end" });
    } else if (names(parts, "range")) {
      const { blocks: body, next } = blocksOf(nodes, at, depth + 1);
      blocks.push({ type: "range", find, body });
      at = next;
    } else blocks.push({ type: "find", find });
  }
  return { blocks, next: at };
}

const names = (nodes: readonly Node[], name: string): boolean => nodes.some((node) => node.type === "identifier" && node.name === name);

const runBlocks = (blocks: readonly Block[], value: unknown, budget: Budget): (readonly unknown[])[] =>
  blocks.flatMap((block) => runBlock(block, value, budget));

function runBlock(block: Block, value: unknown, budget: Budget): readonly (readonly unknown[])[] {
  switch (block.type) {
    case "find":
      return [block.find([value], budget)];
    case "range":
      return block.find([value], budget).flatMap((each) => runBlocks(block.body, each, budget));
    case "stray end":
      throw new JsonPathError("not in range, nothing to end");
  }
}
