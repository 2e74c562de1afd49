/** Every field and item that a condition at the root speaks of has to be declared outside of conditions. Kubernetes does not look at other conditions. */
import { type FieldError, field } from "@coxswain/machinery";
import type { JsonSchema } from "../structural/schema.ts";
import { maxErrors } from "./limits.ts";
import { itemsOf, propertiesOf, propertyOf } from "./parts.ts";

export function completenessErrors(out: FieldError[], root: JsonSchema, rootPath: string): void {
  conditions(root, root, rootPath, rootPath);

  /** `value` is the condition at `valuePath`, `schema` what declares the same place, at `path`; at the root they are one. */
  function conditions(value: JsonSchema, schema: JsonSchema, path: string, valuePath: string): void {
    if (value.not !== undefined) nested(value.not, schema, path, `${valuePath}.not`);
    for (const junctor of ["allOf", "anyOf", "oneOf"] as const) {
      for (const [i, each] of (value[junctor] ?? []).entries()) nested(each, schema, path, `${valuePath}.${junctor}[${i}]`);
    }
  }

  function nested(value: JsonSchema, schema: JsonSchema | undefined, path: string, valuePath: string): void {
    if (out.length >= maxErrors) return;
    if (schema === undefined) {
      out.push(field.required(path, `because it is defined in ${valuePath}`));
      return;
    }
    conditions(value, schema, path, valuePath);
    const items = itemsOf(value);
    if (items !== undefined) nested(items, itemsOf(schema), `${path}.items`, `${valuePath}.items`);
    for (const [name, each] of propertiesOf(value)) {
      nested(each, propertyOf(schema, name), `${path}.properties[${name}]`, `${valuePath}.properties[${name}]`);
    }
  }
}
