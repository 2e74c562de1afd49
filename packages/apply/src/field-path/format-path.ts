/** Values and paths in the texts of server-side apply's errors, as Go prints them. */
import { goDouble, goQuote, isObject } from "@coxswain/machinery";

import type { FieldPath } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";

/** `.spec.containers[name="c"].image`; numbers are doubles, as they are once managed fields were stored. */
export const formatPath = (path: FieldPath): string => path.map((element) => formatElement(element, goDouble)).join("");

export function formatElement(element: PathElement, number: (value: number) => string = String): string {
  switch (element.kind) {
    case "field":
      return `.${element.name}`;
    case "key":
      return `[${element.keys.map(([name, value]) => `${name}=${formatValue(value, number)}`).join(",")}]`;
    case "value":
      return `[=${formatValue(element.value, number)}]`;
    case "index":
      return `[${element.index}]`;
  }
}

function formatValue(value: unknown, number: (value: number) => string): string {
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return `[${value.map((item) => formatValue(item, number)).join(",")}]`;
  if (isObject(value))
    return Object.keys(value)
      .map((name) => `${name}=${formatValue(value[name], number)}`)
      .join("");
  return String(value);
}
