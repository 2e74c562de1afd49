/** What the tests of custom schemas share: a metadata type like the built-in one, and a compiler that knows it. */
import type { FieldError, KubeObject } from "@coxswain/machinery";
import { compileTypes, DecodeReport } from "@coxswain/machinery";
import type { MetadataCheck } from "../read/embedded.ts";
import type { JsonSchema } from "../structural/schema.ts";
import { type CustomSchema, compileCustomSchema } from "./custom-schema.ts";

const metaName = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const types = compileTypes({
  meta: {
    [metaName]: {
      fields: {
        name: { type: "string", go: "omit" },
        generation: { type: "integer:int64", go: "omit" },
        labels: { type: "{string}", go: "omit" },
        finalizers: { type: "[string]", go: "omit" },
      },
    },
  },
});

export const metadataType = types.get(metaName)!;

/** The schema of `spec`, in an object like any other. */
export const compileSpec = (spec: JsonSchema, checkMetadata?: MetadataCheck): CustomSchema =>
  compileRoot(
    { type: "object", properties: { spec, status: { type: "object", properties: { count: { type: "integer" } } } } },
    checkMetadata,
  );

export const compileRoot = (schema: JsonSchema, checkMetadata?: MetadataCheck): CustomSchema =>
  compileCustomSchema(schema, {
    name: "com.example.v1.Seat",
    metadata: metadataType,
    ...(checkMetadata === undefined ? {} : { checkMetadata }),
  });

/** What reading makes of a spec, and what it reports. */
export function read(schema: CustomSchema, spec: unknown): { readonly spec: unknown; readonly problems: readonly string[] } {
  const report = new DecodeReport();
  const object: KubeObject = { spec };
  schema.decode(object, report);
  return { spec: object.spec, problems: report.problems };
}

/** Errors as `kubectl` shows them, without their reasons. */
export const texts = (errors: readonly FieldError[]): readonly string[] => errors.map(({ field, message }) => `${field}: ${message}`);
