/** Texts of a language, made from its rules. */
import type { Random } from "./random.ts";

/** What each name may become; `<name>` in an alternative stands for another rule. The first alternative must end soon. */
export type Grammar = Readonly<Record<string, readonly string[]>>;

const deepest = 12;
const longest = 2_000;

/** Below `deepest` each rule takes its first alternative, so that texts end. */
export function textFrom(grammar: Grammar, rule: string, random: Random): string {
  let length = 0;
  const expand = (name: string, depth: number): string => {
    const alternatives = grammar[name];
    if (alternatives === undefined) throw new Error(`the grammar has no rule ${name}`);
    const chosen = depth > deepest || length > longest ? (alternatives[0] ?? "") : random.pick(alternatives);
    return chosen
      .split(/(<[a-z-]+>)/)
      .map((part) => {
        if (/^<[a-z-]+>$/.test(part)) return expand(part.slice(1, -1), depth + 1);
        length += part.length;
        return part;
      })
      .join("");
  };
  return expand(rule, 0);
}
