/** A call's arguments by their index, as the values that its signature promises. @throws CelError when one is another */
import { asBool, asInstance, asInt, asString, noSuchOverload } from "../values/typed.ts";
import { CelList, type CelValue } from "../values/value.ts";

export { noSuchOverload };

type Args = readonly CelValue[];

export const stringAt = (args: Args, index: number): string => asString(args[index]);
export const intAt = (args: Args, index: number): bigint => asInt(args[index]);
export const boolAt = (args: Args, index: number): boolean => asBool(args[index]);
export const listAt = (args: Args, index: number): CelList => asList(args[index]);

/** For the classes of a library: `instanceAt(QuantityValue, args, 0)`. */
export const instanceAt = <T extends CelValue>(type: abstract new (...parameters: never[]) => T, args: Args, index: number): T =>
  asInstance(type)(args[index]);

const asList = asInstance(CelList);
