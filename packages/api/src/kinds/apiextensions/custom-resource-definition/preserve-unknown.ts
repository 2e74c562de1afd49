/**
 * spec.preserveUnknownFields was how v1beta1 left out pruning. It can no longer be set; objects from then may keep it, and
 * are held to fewer rules.
 */
import { field } from "@coxswain/machinery";
import type { JsonSchema } from "@coxswain/schema";
import { someSchema } from "@coxswain/schema";
import type { CustomResourceDefinition, CustomResourceDefinitionSpec } from "@coxswain/types/apiextensions-v1";
import type { Errors } from "../../../validation/checks.ts";
import { asJson } from "./spec-form.ts";

type Spec = Readonly<CustomResourceDefinitionSpec>;

/** Whether schemas have to be structural whatever they were: not with the field, unless they use what needs it. */
export const needsStructural = ({ preserveUnknownFields }: Spec, schemas: readonly JsonSchema[]): boolean =>
  preserveUnknownFields !== true || schemas.some((schema) => someSchema(schema, usesExtensions));

const extensions = [
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-validations",
] as const;

const usesExtensions = (schema: JsonSchema): boolean =>
  hasDefault(schema) ||
  schema["x-kubernetes-preserve-unknown-fields"] !== undefined ||
  extensions.some((name) => schema[name] !== undefined && schema[name] !== false);

const hasDefault = (schema: JsonSchema): boolean => schema.default !== undefined && schema.default !== null;

export function validateDefaultsPruned(out: Errors, { preserveUnknownFields }: Spec, schemas: readonly JsonSchema[]): void {
  if (preserveUnknownFields !== true || !schemas.some((schema) => someSchema(schema, hasDefault))) return;
  out.push(field.invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema"));
}

export function validateStrategyPrunes(out: Errors, { preserveUnknownFields, conversion }: Spec): void {
  if (preserveUnknownFields !== true || conversion === undefined || conversion.strategy === "None") return;
  out.push(field.invalid("spec.conversion.strategy", asJson(conversion.strategy), "must be None if spec.preserveUnknownFields is true"));
}

export function validatePreserveUnknown(out: Errors, { spec }: Readonly<CustomResourceDefinition>, prev?: CustomResourceDefinition): void {
  if (spec?.preserveUnknownFields !== true || prev?.spec?.preserveUnknownFields === true) return;
  const why = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  out.push(field.invalid("spec.preserveUnknownFields", true, why));
}
