/** Sizes that follow from an expression or a type alone. */

import type { SizeBounds } from "../environment/library.ts";
import type { Expr } from "../syntax/ast.ts";
import type { CelType } from "../types/type.ts";
import { exactly } from "./bounds.ts";

export function literalSize(expr: Expr): SizeBounds | undefined {
  switch (expr.kind) {
    case "literal":
      return exactly(typeof expr.value === "string" ? [...expr.value].length : expr.value instanceof Uint8Array ? expr.value.length : 1);
    case "list":
      return exactly(expr.elements.length);
    case "map":
      return exactly(expr.entries.length);
    default:
      return undefined;
  }
}

/** Of scalars: 1. Strings and `dyn` may have any size. */
export function typeSize(type: CelType): SizeBounds | undefined {
  switch (type.kind) {
    case "bool":
    case "int":
    case "uint":
    case "double":
    case "duration":
    case "timestamp":
      return exactly(1);
    case "opaque":
      return type.name === "optional_type" && type.parameters[0] !== undefined ? typeSize(type.parameters[0]) : undefined;
    default:
      return undefined;
  }
}
