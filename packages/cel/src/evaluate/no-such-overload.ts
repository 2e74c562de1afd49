/** What cel-go says when a value of type `dyn` turns out to be nothing that a function takes. */
import type { CelOverload } from "../environment/library.ts";
import { runtimeTypeName } from "../types/type-text.ts";
import { CelError, type CelValue } from "../values/value.ts";
import { fitsParameter, typeOfValue } from "../values/value-type.ts";

/** One implementation for all types, which refuses without a word. */
const silent: ReadonlySet<string> = new Set(["!_", "@in", "contains", "startsWith", "endsWith"]);
/** One implementation for all types, which is named when the first operand's type has nothing of the kind. */
const byFirst: ReadonlySet<string> = new Set("_+_ _-_ _*_ _/_ _%_ -_ _<_ _<=_ _>_ _>=_ size matches".split(" "));
/** These types are asked about any function, and refuse without a word. */
const receivers = /^(?:string|timestamp|duration)$/;

/** @param all the overloads that have the function's name */
export function noSuchOverloadOf(name: string, all: readonly CelOverload[], args: readonly CelValue[]): CelError {
  const [first = null] = args;
  if (silent.has(name)) return new CelError("no such overload");
  if (!byFirst.has(name))
    return new CelError(`no such overload: ${name}(${args.map((arg) => runtimeTypeName(typeOfValue(arg))).join(", ")})`);
  const isKnown = receivers.test(typeOfValue(first).kind) || all.some(({ parameters: [type] }) => type && fitsParameter(first, type));
  return new CelError(isKnown ? "no such overload" : `no such overload: ${name}`);
}
