/** How the libraries write down their functions. */
import type { CelFunction, CelOverload } from "../environment/library.ts";
import type { CelType } from "../types/type.ts";
import type { Cost } from "./call-cost.ts";

/** Overloads by the names of functions. */
export const functionsOf = (overloads: Readonly<Record<string, readonly CelOverload[]>>): readonly CelFunction[] =>
  Object.entries(overloads).map(([name, of]) => ({ name, overloads: of }));

/** Called on the first of the parameters. Without a cost it costs 1. */
export const method = (
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  call: CelOverload["call"],
  cost?: Partial<Cost>,
): CelOverload => ({ id, member: true, parameters, result, call, ...cost });

export const plain = (
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  call: CelOverload["call"],
  cost?: Partial<Cost>,
): CelOverload => ({ id, parameters, result, call, ...cost });
