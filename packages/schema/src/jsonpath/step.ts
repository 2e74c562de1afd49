/** Compiles the parts of a path to functions from values to the values that they lead to. */

import { getOwn, goTypeOf, isObject } from "@coxswain/machinery";
import type { Budget, Step } from "./budget.ts";
import { compileFilter } from "./filter.ts";
import { JsonPathError, type Node, type SliceEnd } from "./node.ts";

export const compileList = (nodes: readonly Node[]): Step => {
  const steps = nodes.map(compileNode);
  return (input, budget) => steps.reduce((values, step) => spend(step(values, budget), budget), input);
};

function spend(values: readonly unknown[], budget: Budget): readonly unknown[] {
  budget.left -= values.length + 1;
  if (budget.left < 0) throw new JsonPathError("the path leads to too many values");
  return values;
}

function compileNode(node: Node): Step {
  switch (node.type) {
    case "list":
      return compileList(node.nodes);
    case "text":
      return () => [node.text];
    case "constant":
      return (input) => input.map(() => node.value);
    case "field":
      return (input) => membersNamed(node.name, input);
    case "slice":
      return compileSlice(node);
    case "filter":
      return compileFilter(node, compileList);
    case "union": {
      const lists = node.lists.map(compileList);
      return (input, budget) => lists.flatMap((list) => list(input, budget));
    }
    case "wildcard":
      return (input) => input.flatMap(childrenOf);
    case "descent":
      return descend;
    case "identifier":
      return () => {
        throw new JsonPathError(`unrecognized identifier ${node.name}`);
      };
  }
}

function membersNamed(name: string, input: readonly unknown[]): unknown[] {
  const found: unknown[] = [];
  for (const value of input) {
    const member = isObject(value) ? getOwn(value, name) : undefined;
    if (member !== undefined) found.push(member);
  }
  return found;
}

/** Members in order of their names, where Kubernetes gives them in any order; of a text its bytes. */
function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === "string") return [...new TextEncoder().encode(value)];
  if (!isObject(value)) return [];
  const names = Object.keys(value).sort();
  return names.map((name) => value[name]);
}

/** All that has something in it, each before what is in it. */
function descend(input: readonly unknown[], budget: Budget): unknown[] {
  const found: unknown[] = [];
  const rest = input.toReversed();
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (--budget.left < 0) throw new JsonPathError("the path leads to too many values");
    const children = typeof value === "string" ? [] : childrenOf(value);
    if (children.length === 0 && (typeof value !== "string" || value === "")) continue;
    found.push(value);
    for (let i = children.length - 1; i >= 0; i--) rest.push(children[i]);
  }
  return found;
}

interface Slice {
  readonly start: number | undefined;
  readonly end: SliceEnd;
  readonly step: number | undefined;
}

function compileSlice({ start, end, step = 1 }: Slice): Step {
  return (input) => {
    const found: unknown[] = [];
    for (const value of input) {
      if (value === null) continue;
      if (!Array.isArray(value)) throw new JsonPathError(`${goTypeOf(value)} is not array or slice`);
      const { from, to } = within(value.length, start, end);
      // As in client-go, what asks for nothing ends the search.
      if (from === to) return found;
      if (step <= 0) throw new JsonPathError("step must be > 0");
      for (let i = from; i < to; i += step) found.push(value[i]);
    }
    return found;
  };
}

/** Negative positions count from the end. @throws JsonPathError out of bounds */
function within(length: number, start = 0, end: SliceEnd): { readonly from: number; readonly to: number } {
  const from = start < 0 ? start + length : start;
  const given = end?.at ?? length;
  const to = given < 0 || (given === 0 && end?.derived === true) ? given + length : given;
  if (from === to) return { from, to };
  const outOfBounds = (index: number) => new JsonPathError(`array index out of bounds: index ${index}, length ${length}`);
  if (from >= length || from < 0) throw outOfBounds(from);
  if (to > length || to < 0) throw outOfBounds(to - 1);
  if (from > to) throw new JsonPathError(`starting index ${from} is greater than ending index ${to}`);
  return { from, to };
}
