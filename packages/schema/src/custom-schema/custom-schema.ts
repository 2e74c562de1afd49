/** What the schema of a custom resource does to its objects. */
import type { DecodeReport, FieldError, JsonObject, KubeObject, StructType } from "@coxswain/machinery";
import { decodeValue } from "@coxswain/machinery";
import { checkEmbedded, type MetadataCheck } from "../read/embedded.ts";
import { readRoot } from "../read/read.ts";
import { Reading, type ReadingOptions } from "../read/reading.ts";
import { entryOf } from "../structural/field-path.ts";
import { compileNode, type SchemaNode } from "../structural/node.ts";
import type { JsonSchema } from "../structural/schema.ts";
import { customType } from "../structural/type.ts";
import { Correlation } from "../validate/correlation.ts";
import { acceptsLists, checkLists } from "../validate/list-types.ts";
import { noField } from "../validate/rule.ts";
import { valueErrors } from "../validate/value-errors.ts";
import { compileValueSchema, type ValueSchema } from "../validate/value-schema.ts";
import type { ValidationBudget } from "../validate/work.ts";

export type { MetadataCheck, ValidationBudget };

/** The compiled schema of one version of a custom resource: it decodes, defaults, prunes and validates objects. */
export interface CustomSchema {
  readonly schema: JsonSchema;
  /** The type that apply, managed fields, patches and field sets walk; compiled when first asked for. */
  readonly type: StructType;
  /**
   * What reading a body does, in place: metadata is read as ObjectMeta, unknown fields are dropped (and recorded in the report),
   * nulls where none may be go, defaults come.
   * @throws DecodeTypeError, DecodeError when metadata has the wrong types
   */
  decode(object: KubeObject, report: DecodeReport | undefined): void;
  /** The same with what an apply has made, but that nulls where none may be stay, for `validate` to refuse. */
  settle(object: KubeObject): void;
  /** What reading from the store does, where the schema may have changed since. True when something changed. */
  normalize(object: KubeObject): boolean;
  /**
   * What conversion from another version does: what this one does not have goes. Defaults do not come, for they go with the
   * version in which an object was sent or stored.
   */
  prune(object: KubeObject): void;
  /** All errors, the CEL rules' aside. With `old`, what is wrong but was so before and has not changed is tolerated. */
  validate(object: Readonly<KubeObject>, old?: Readonly<KubeObject>): FieldError[];
  /** The same for a write to the status subresource, which looks at nothing else but at lists. */
  validateStatus(object: Readonly<KubeObject>, old: Readonly<KubeObject>): FieldError[];
}

/** What compiling a custom resource's schema needs beside the schema. */
export interface CustomSchemaOptions {
  /** The OpenAPI name, for example `com.example.v1.Seat`. */
  readonly name: string;
  /** The type of ObjectMeta. */
  readonly metadata: StructType;
  /** Checks the metadata of embedded resources, which need neither name nor namespace. */
  readonly checkMetadata?: MetadataCheck | undefined;
  /** Read again for each object. */
  readonly validationBudget?: (() => ValidationBudget) | undefined;
}

/** Compiles nothing until it is needed: most of a thousand definitions are never used. */
export const compileCustomSchema = (schema: JsonSchema, options: CustomSchemaOptions): CustomSchema => new LazySchema(schema, options);

const metadataPath = entryOf(undefined, "metadata");

class LazySchema implements CustomSchema {
  readonly schema: JsonSchema;
  readonly #options: CustomSchemaOptions;
  #type: StructType | undefined;
  #node: SchemaNode | undefined;
  #values: ValueSchema | undefined;

  constructor(schema: JsonSchema, options: CustomSchemaOptions) {
    this.schema = schema;
    this.#options = options;
  }

  get type(): StructType {
    this.#type ??= customType(this.schema, this.#options.name, this.#options.metadata);
    return this.#type;
  }

  decode(object: KubeObject, report: DecodeReport | undefined): void {
    const reading = this.#read(object, report, {});
    if (report !== undefined) reading.reportTo(report);
  }

  settle(object: KubeObject): void {
    this.#read(object, undefined, { nulls: "kept" });
  }

  #read(object: KubeObject, report: DecodeReport | undefined, more: Pick<ReadingOptions, "nulls">): Reading {
    const { metadata, validationBudget } = this.#options;
    const fields: JsonObject = object;
    if (object.metadata !== undefined)
      fields.metadata = object.metadata === null ? {} : decodeValue(metadata, object.metadata, report, metadataPath);
    const reading = new Reading(metadata, {
      malformed: "refused",
      reports: report !== undefined,
      validationBudget: validationBudget?.(),
      ...more,
    });
    readRoot(this.#reader, object, reading);
    return reading;
  }

  normalize(object: KubeObject): boolean {
    const reading = new Reading(this.#options.metadata, { malformed: "dropped" });
    readRoot(this.#reader, object, reading);
    return reading.changed;
  }

  prune(object: KubeObject): void {
    readRoot(this.#reader, object, new Reading(this.#options.metadata, { malformed: "dropped", defaults: "missing" }));
  }

  validate(object: Readonly<KubeObject>, old?: Readonly<KubeObject>): FieldError[] {
    const values = this.#checker;
    const { metadata, checkMetadata, validationBudget } = this.#options;
    const errors = valueErrors(
      values,
      object,
      () => (old === undefined ? undefined : new Correlation(values, object, old)),
      validationBudget?.(),
    );
    checkEmbedded(this.#reader, object, undefined, { metadata, checkMetadata, errors });
    this.#checkLists(object, old, errors);
    return errors;
  }

  validateStatus(object: Readonly<KubeObject>, old: Readonly<KubeObject>): FieldError[] {
    const errors: FieldError[] = [];
    const values = this.#checker.properties.get("status");
    const status = object.status;
    if (values !== undefined && status !== undefined) {
      const found = valueErrors(
        values,
        status,
        () => new Correlation(values, status, old.status ?? null),
        this.#options.validationBudget?.(),
      );
      errors.push(...found.map((error) => ({ ...error, field: error.field === noField ? "status" : `status.${error.field}` })));
    }
    this.#checkLists(object, old, errors);
    return errors;
  }

  /** Lists that were wrong already, any of them, excuse all. */
  #checkLists(object: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined, errors: FieldError[]): void {
    const node = this.#reader;
    if (acceptsLists(node, object) || (old !== undefined && !acceptsLists(node, old))) return;
    checkLists(node, object, undefined, errors);
  }

  get #reader(): SchemaNode {
    this.#node ??= compileNode(this.schema);
    return this.#node;
  }

  get #checker(): ValueSchema {
    this.#values ??= compileValueSchema(this.schema);
    return this.#values;
  }
}
