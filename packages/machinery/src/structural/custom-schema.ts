/** What the schema of a custom resource does to its objects. */
import type { FieldError } from "../field-error.ts";
import type { KubeObject } from "../meta.ts";
import type { DecodeReport } from "../schema/decode-report.ts";
import type { StructType } from "../schema/type.ts";
import type { JsonSchema } from "./schema.ts";

export interface CustomSchema {
  readonly schema: JsonSchema;
  /** The type that apply, managed fields, patches and field sets walk; compiled when first asked for. */
  readonly type: StructType;
  /**
   * What reading a body does, in place: metadata is read as ObjectMeta, unknown fields go (and are told to the report),
   * nulls where none may be go, defaults come.
   * @throws DecodeTypeError, DecodeError when metadata has the wrong types
   */
  decode(object: KubeObject, report: DecodeReport | undefined): void;
  /** What reading from the store does, where the schema may have changed since. True when something changed. */
  normalize(object: KubeObject): boolean;
  /** All errors, the CEL rules' aside. With `old`, what is wrong but was so before and has not changed is tolerated. */
  validate(object: Readonly<KubeObject>, old?: Readonly<KubeObject>): FieldError[];
}

export interface CustomSchemaOptions {
  /** The OpenAPI name, for example `com.example.v1.Seat`. */
  readonly name: string;
  /** The type of ObjectMeta. */
  readonly metadata: StructType;
  /** Whether status is a subresource. */
  readonly status: boolean;
}

export function compileCustomSchema(_schema: JsonSchema, { name }: CustomSchemaOptions): CustomSchema {
  throw new Error(`not compiled yet: ${name}`);
}
