import { field } from "@coxswain/machinery";
import type { CustomResourceColumnDefinition } from "@coxswain/types/apiextensions-v1";
import { type Errors, requiredText } from "../../../validation/checks.ts";
import { validatePath } from "./custom-subresources.ts";

const types = ["boolean", "date", "integer", "number", "string"];
const formats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** Printer columns. Whether a path names a field is not checked: it may be a filter, and finds nothing where there is none. */
export function validateColumns(out: Errors, path: string, columns: readonly CustomResourceColumnDefinition[]): void {
  for (const [i, { name, type, format, jsonPath }] of columns.entries()) {
    const at = `${path}.additionalPrinterColumns[${i}]`;
    requiredText(out, `${at}.name`, name);
    const oneOfTypes = `must be one of ${types.join(",")}`;
    if (!type) out.push(field.required(`${at}.type`, oneOfTypes));
    else if (!types.includes(type)) out.push(field.invalid(`${at}.type`, type, oneOfTypes));
    if (format && !formats.includes(format)) out.push(field.invalid(`${at}.format`, format, `must be one of ${formats.join(",")}`));
    validatePath(out, `${at}.JSONPath`, jsonPath);
  }
}
