/** How the libraries write down their functions. What a call costs is spread behind them: without a cost it is 1. */
import type { CelFunction, CelOverload } from "../environment/library.ts";
import type { CelType } from "../types/type.ts";

/** Overloads by the names of functions. */
export const functionsOf = (overloads: Readonly<Record<string, readonly CelOverload[]>>): readonly CelFunction[] =>
  Object.entries(overloads).map(([name, of]) => ({ name, overloads: of }));

/** Called on the first of the parameters. */
export const method = (id: string, parameters: readonly CelType[], result: CelType, call: CelOverload["call"]): CelOverload => ({
  id,
  member: true,
  parameters,
  result,
  call,
});

export const plain = (id: string, parameters: readonly CelType[], result: CelType, call: CelOverload["call"]): CelOverload => ({
  id,
  parameters,
  result,
  call,
});
