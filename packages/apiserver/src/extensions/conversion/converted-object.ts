/** What a webhook may make of an object: anything of its own part, of the metadata only labels and annotations. */
import { validateAnnotations, validateLabels } from "@coxswain/api";
import {
  deepEqual,
  type FieldError,
  field,
  goDynamicType,
  goJsonTypeOf,
  type KubeObject,
  parseApiVersion,
  stringifyJson,
} from "@coxswain/machinery";

/** A converted object that is none, with what messages say of it behind the name of the webhook. */
export class ConversionProblem extends Error {
  /** Whether Kubernetes reports it without naming the webhook. */
  readonly bare: boolean;
  constructor(message: string, bare = false) {
    super(message);
    this.name = "ConversionProblem";
    this.bare = bare;
  }
}

type JsonMap = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is JsonMap => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The converted object with the original's metadata, but for its own labels and annotations. `index` is its place in the
 * answer. @throws ConversionProblem
 */
export function acceptConverted(original: Readonly<KubeObject>, given: unknown, apiVersion: string, index: number): KubeObject {
  const converted = objectFrom(given);
  const at = `returned invalid object at index ${index}:`;
  if (converted.apiVersion !== apiVersion)
    throw new ConversionProblem(`${at} invalid groupVersion (expected ${apiVersion}, received ${converted.apiVersion})`);
  if (converted.kind !== original.kind)
    throw new ConversionProblem(`${at} invalid kind (expected ${original.kind}, received ${converted.kind})`);
  const sent = isMap(converted.metadata) ? converted.metadata : {};
  checkIdentity(original, sent);
  return { ...converted, metadata: withOwnMaps(original.metadata ?? {}, sent) };
}

function objectFrom(given: unknown): KubeObject & { readonly apiVersion: string; readonly kind: string } {
  if (given === null || given === undefined) throw new ConversionProblem("unexpected end of JSON input", true);
  if (!isMap(given)) {
    const why = `json: cannot unmarshal ${goJsonTypeOf(given)} into Go value of type map[string]interface {}`;
    throw new ConversionProblem(why, true);
  }
  const kind = text(given.kind);
  const apiVersion = text(given.apiVersion);
  if (kind === "" || parseApiVersion(apiVersion) === undefined)
    throw new ConversionProblem(`Object 'Kind' is missing in '${stringifyJson(given)}'`, true);
  return { ...given, kind, apiVersion };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function checkIdentity({ metadata = {} }: Readonly<KubeObject>, sent: JsonMap): void {
  for (const [key, name] of [
    ["name", "name"],
    ["namespace", "namespace"],
    ["uid", "UID"],
  ] as const) {
    const expected = metadata[key] ?? "";
    const got = text(sent[key]);
    if (got !== expected) throw new ConversionProblem(`returned invalid object: must have the same ${name}: ${expected} != ${got}`);
  }
}

function withOwnMaps(metadata: NonNullable<KubeObject["metadata"]>, sent: JsonMap): NonNullable<KubeObject["metadata"]> {
  const { labels, annotations, ...rest } = metadata;
  const own = {
    labels: mapFrom("labels", sent.labels, labels),
    annotations: mapFrom("annotations", sent.annotations, annotations),
  };
  return {
    ...rest,
    ...(own.labels === undefined ? {} : { labels: own.labels }),
    ...(own.annotations === undefined ? {} : { annotations: own.annotations }),
  };
}

/** What was there before may stay as it is, whatever today's rules say. */
function mapFrom(
  name: "labels" | "annotations",
  given: unknown,
  before: Readonly<Record<string, string>> | undefined,
): Record<string, string> | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isMap(given)) throw invalidMetadata(`invalid metadata.${name} of type ${goDynamicType(given)} in converted object`);
  for (const [key, value] of Object.entries(given)) {
    if (typeof value !== "string")
      throw invalidMetadata(`metadata.${name}[${key}] must be a string, but is ${goDynamicType(value)} in converted object`);
  }
  const map = given as Record<string, string>;
  if (deepEqual(map, before ?? {})) return map;
  const errors: FieldError[] = [];
  if (name === "labels") validateLabels(errors, map, "metadata.labels");
  else validateAnnotations(errors, map, "metadata.annotation");
  if (errors.length > 0) throw invalidMetadata(field.formatFieldErrors(errors));
  return map;
}

const invalidMetadata = (why: string): ConversionProblem => new ConversionProblem(`returned invalid metadata: ${why}`);
