/** Patterns are RE2's, as Go's: matching takes linear time, and lookaheads and back references are errors. */
import { messageOf } from "@coxswain/machinery";
import { RE2JS } from "re2js";

/** Why a pattern does not compile, in Go's words. Each is compiled once for as long as this lives. */
export function patternChecker(): (pattern: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (pattern) => {
    if (!known.has(pattern)) known.set(pattern, problemOf(pattern));
    return known.get(pattern);
  };
}

/** What even the smallest pattern takes. */
const fixedSize = 10;
/** A class such as `\pL` is a table of hundreds of ranges. */
const unicodeClassSize = 20;

function problemOf(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * About how many instructions a pattern compiles to: a repetition with counts copies what it repeats that many times.
 * Never less than half of what it is. RE2 itself refuses counts, alone or nested, that multiply to more than 1,000.
 */
export function patternSize(pattern: string): number {
  const groups: number[] = [];
  let size = fixedSize;
  let atom = 1;
  for (const [token] of pattern.matchAll(/\\.|\[\^?\]?(?:\\.|[^\]\\])*(?:\]|\\?$)|\{\d+(?:,\d*)?\}|./gsy)) {
    if (token === "(") groups.push(size++);
    else if (token === ")") atom = size - (groups.pop() ?? size);
    else if (token.startsWith("{") && token.length > 1) {
      size += atom * Math.max(...token.slice(1, -1).split(",").map(Number), 1);
    } else {
      atom = /^\\[pP]/.test(token) ? unicodeClassSize : 1;
      size += atom;
    }
  }
  return size;
}
