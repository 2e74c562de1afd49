import { goInt } from "./literals.ts";
import { JsonPathError, type Node } from "./node.ts";

/** `2`, `-1`, `1:3`, `::2`, `:`. @throws JsonPathError */
export function parseSlice(text: string): Node {
  const match = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text);
  if (match === null) throw new JsonPathError(`invalid array index ${text}`);
  const [, first = "", second, third] = match;
  const start = first === "" ? undefined : indexOf(first);
  const end = second === undefined ? { at: (start ?? 0) + 1, derived: true } : second === ":" ? undefined : bound(second);
  const step = third === undefined || third === ":" ? undefined : indexOf(third.slice(1));
  return { type: "slice", start, end, step };
}

const bound = (text: string) => ({ at: indexOf(text.slice(1)), derived: false });

function indexOf(text: string): number {
  const value = goInt(text);
  if (value === undefined) throw new JsonPathError(`array index ${text} is not a number`);
  return Number(value);
}
