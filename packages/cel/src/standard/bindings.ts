/** `cel.bind(x, value, expression)`. Kubernetes does not have it. */
import type { CelLibrary } from "../environment/library.ts";
import { MacroError } from "../syntax/macro.ts";
import { needed } from "../syntax/macros.ts";
import { bind } from "./optional.ts";

/**
 * The bindings extension of CEL, `cel.bind`.
 * @see https://github.com/google/cel-go/tree/master/ext#bindings
 */
export const bindings: CelLibrary = {
  name: "bindings",
  macros: [
    {
      function: "bind",
      member: true,
      argumentCount: 3,
      expand: (make, target, [name, value, within]) => {
        if (target?.kind !== "ident" || target.name !== "cel") return undefined;
        const variable = needed(name);
        if (variable.kind !== "ident") throw new MacroError(variable.id, "cel.bind() variable names must be simple identifiers");
        return bind(make, variable.name, needed(value), needed(within));
      },
    },
  ],
};
