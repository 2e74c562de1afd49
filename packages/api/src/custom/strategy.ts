/** What the schema and the subresources of a custom resource mean for its writes. */
import { deepEqual, type FieldError, field, type KubeObject } from "@coxswain/machinery";
import type { CompiledRules, CustomSchema } from "@coxswain/schema";
import type { CustomResourceSubresourceScale, SelectableField } from "@coxswain/types/apiextensions-v1";
import { defineKind, type Strategy } from "../strategy/strategy.ts";
import type { TableColumns } from "../table/columns.ts";
import { validateScaleSpec, validateScaleStatus } from "./scale.ts";
import { selectableFieldsOf } from "./selectable-fields.ts";

export interface CustomKind {
  readonly hasStatus: boolean;
  readonly scale: CustomResourceSubresourceScale | undefined;
  readonly selectableFields: readonly SelectableField[] | undefined;
  readonly columns: TableColumns;
  /** For objects that keep to the schema; undefined where there are none. */
  readonly rules: CompiledRules | undefined;
}

export function customStrategy(schema: CustomSchema, { hasStatus, scale, selectableFields = [], columns, rules }: CustomKind): Strategy {
  const check = (part: "main" | "status", obj: Readonly<KubeObject>, old?: Readonly<KubeObject>, warn?: Warn): FieldError[] => {
    const errors = part === "status" && old !== undefined ? schema.validateStatus(obj, old) : schema.validate(obj, old);
    if (scale !== undefined) {
      if (part === "main") errors.push(...validateScaleSpec(obj, scale));
      errors.push(...validateScaleStatus(obj, scale));
    }
    if (rules !== undefined) errors.push(...(errors.some(blocks) ? [unchecked] : validateRules(rules, obj, old, warn)));
    return errors;
  };
  return defineKind<KubeObject>({
    type: schema.type.name,
    finalizers: "any",
    allowUnconditionalUpdate: false,
    generation: changedBeyondMetadata,
    columns,
    prepareForCreate(obj) {
      if (!hasStatus) return;
      delete obj.status;
      // A default comes back as often as the object is read.
      if (schema.schema.properties?.status?.default !== undefined) schema.normalize(obj);
    },
    validateCreate: (obj) => check("main", obj),
    validateUpdate: (next, prev, warn) => check("main", next, prev, warn),
    subresources: { status: { prepareForUpdate: keepMetadata, validateUpdate: (next, prev, warn) => check("status", next, prev, warn) } },
    ...(selectableFields.length === 0 ? {} : { selectableFields: selectableFieldsOf(selectableFields.map(({ jsonPath }) => jsonPath)) }),
  });
}

type Warn = (text: string) => void;

function validateRules(rules: CompiledRules, obj: Readonly<KubeObject>, old?: Readonly<KubeObject>, warn?: Warn): readonly FieldError[] {
  const { errors, tolerated } = rules.validate(obj, old);
  for (const error of tolerated) warn?.(field.formatFieldError(error));
  return errors;
}

/** Rules count on the types and bounds that the schema promises. */
const blocks = ({ type }: FieldError): boolean => blocking.has(type);
const blocking: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const unchecked = field.invalid(
  "<nil>",
  null,
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
);

function changedBeyondMetadata(next: Readonly<KubeObject>, prev: Readonly<KubeObject>): boolean {
  const { metadata: _, ...after } = next;
  const { metadata: __, ...before } = prev;
  return !deepEqual(after, before);
}

/** A write to the status of a custom resource changes nothing of its metadata, but who manages what. */
function keepMetadata(next: KubeObject, prev: Readonly<KubeObject>): void {
  const managedFields = next.metadata?.managedFields;
  next.metadata = { ...prev.metadata, ...(managedFields === undefined ? {} : { managedFields }) };
}
