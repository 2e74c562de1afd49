/** Defaults in resources within resources: apiVersion, kind and metadata follow the rules of all objects. */
import { type FieldError, formatFieldErrors, invalid } from "../../field-error.ts";
import { setOwn } from "../../patch/json-object.ts";
import { cloneJson } from "../clone-json.ts";
import { checkEmbedded, type EmbeddedCheck } from "../embedded.ts";
import { propertyOf } from "../field-path.ts";
import type { SchemaNode } from "../node.ts";

/** What ObjectMeta is, and what it may say. */
export type MetaRules = Omit<EmbeddedCheck, "errors">;

/** The resource around a default that is a part of its apiVersion, kind or metadata: `wrap` builds it around a value. */
export interface AroundMeta {
  readonly resource: SchemaNode;
  readonly wrap: (value: unknown) => object;
}

/** What is wrong with the resources inside a default, or with the one that it is a part of. */
export function defaultMetaErrors(
  value: unknown,
  path: string,
  { node, around, rules }: { readonly node: SchemaNode; readonly around: AroundMeta | undefined; readonly rules: MetaRules },
): FieldError[] {
  const errors: FieldError[] = [];
  if (around === undefined) {
    checkEmbedded(node, value, propertyOf(undefined, path), { ...rules, errors });
    return errors;
  }
  const object = { apiVersion: "validation/v1", kind: "Validation", ...around.wrap(cloneJson(value)) };
  checkEmbedded(around.resource, object, undefined, { ...rules, errors });
  return errors.length === 0 ? [] : [invalid(path, value, `must result in valid metadata: ${formatFieldErrors(errors)}`)];
}

export const child = (around: AroundMeta | undefined, name: string, resource: SchemaNode): AroundMeta => ({
  resource: around?.resource ?? resource,
  wrap: (value) => {
    const object = {};
    setOwn(object, name, value);
    return around?.wrap(object) ?? object;
  },
});

export const item = (around: AroundMeta): AroundMeta => ({ ...around, wrap: (value) => around.wrap([value]) });
