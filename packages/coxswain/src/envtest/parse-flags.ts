/** Command lines as kube-apiserver and etcd read them: by the rules of pflag, which are not those of our own commands. */
import { StartError } from "../process/start-error.ts";

export interface FlagNames {
  /** A boolean one takes a value behind `=` alone. Undefined: there is no such flag. */
  kindOf(name: string): "boolean" | "value" | undefined;
}

/** The values of each flag, in their order. */
export type Flags = ReadonlyMap<string, readonly string[]>;

/** Names may have `_` for `-`. @throws StartError in the words of pflag */
export function parseFlags(program: string, args: readonly string[], { kindOf }: FlagNames): Flags {
  const flags = new Map<string, string[]>();
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "") continue; // An old default of envtest is a template that may turn out empty.
    const [, written, assigned] = /^--?([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (written === undefined || word === "--") throw new StartError(`${program} does not take any arguments, got ${JSON.stringify(word)}`);
    const name = written.replaceAll("_", "-");
    const kind = kindOf(name);
    if (kind === undefined) throw new StartError(`unknown flag: --${name}`);
    const value = assigned ?? (kind === "boolean" ? "true" : args[++at]);
    if (value === undefined) throw new StartError(`flag needs an argument: --${name}`);
    flags.set(name, [...(flags.get(name) ?? []), value]);
  }
  return flags;
}

/** What counts of a flag with one value: the last one. */
export const lastOf = (flags: Flags, name: string): string | undefined => flags.get(name)?.at(-1);

/** Of a flag whose values are lists: all of them. */
export const listOf = (flags: Flags, name: string): string[] =>
  (flags.get(name) ?? []).flatMap((value) => value.split(",")).filter((value) => value !== "");

const booleans: Readonly<Record<string, boolean>> = {
  __proto__: null as never,
  true: true,
  "1": true,
  t: true,
  false: false,
  "0": false,
  f: false,
};

/** @throws StartError */
export function booleanOf(flags: Flags, name: string): boolean | undefined {
  const text = lastOf(flags, name);
  if (text === undefined) return undefined;
  const value = booleans[text.toLowerCase()];
  if (value === undefined) throw new StartError(`invalid argument ${JSON.stringify(text)} for "--${name}" flag: it must be true or false`);
  return value;
}
