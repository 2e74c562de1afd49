import { goQuote } from "@coxswain/machinery";
import type { JsonSchema } from "@coxswain/schema";
import { someSchema, supportedFormat } from "@coxswain/schema";
import type { CustomResourceDefinition } from "@coxswain/types/apiextensions-v1";
import { formOf, schemaOf } from "./spec-form.ts";

/** Formats that are not checked. Those that were there before are known to whoever wrote them. */
export function* formatWarnings(next: Readonly<CustomResourceDefinition>, prev?: Readonly<CustomResourceDefinition>): Generator<string> {
  const known = new Set(prev === undefined ? [] : unknownFormats(prev));
  for (const format of unknownFormats(next)) if (!known.has(format)) yield `unrecognized format ${goQuote(format)}`;
}

/** Of a schema that all versions share, once. */
function unknownFormats({ spec }: Readonly<CustomResourceDefinition>): string[] {
  const { shared, versions } = formOf(spec);
  const found: string[] = [];
  const collect = ({ format, type = "" }: JsonSchema): boolean => {
    if (format && supportedFormat(format, [type]) === "") found.push(format);
    return false;
  };
  for (const parts of [shared, ...versions]) someSchema(schemaOf(parts), collect);
  return found;
}
