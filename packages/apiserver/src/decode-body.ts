/** Request bodies: JSON, YAML or protobuf, with the errors that Kubernetes gives for what is none of them. */
import { builtinTypes } from "@coxswain/api";
import {
  badRequest,
  DecodeError,
  DecodeReport,
  decodeInto,
  field,
  goJsonTypeOf,
  goQuote,
  invalid,
  type KubeObject,
  parseApiVersion,
  parseJson,
  parseYaml,
  type StatusError,
  unsupportedMediaType,
} from "@coxswain/machinery";
import type { RequestContext } from "./context.ts";
import type { WriteOptions } from "./options.ts";
import { decodeProtobuf, decodeProtobufOptions } from "./protobuf.ts";
import type { ServedResource } from "./registry/served-resource.ts";
import { textOf } from "./registry/stored-object.ts";

const accepted = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** The type without its parameters; empty when the header is missing. */
export function mediaType(header: string | readonly string[] | undefined): string {
  const text = typeof header === "string" ? header : (header?.[0] ?? "");
  if (text === "application/json") return text;
  const semicolon = text.indexOf(";");
  return (semicolon < 0 ? text : text.slice(0, semicolon)).trim().toLowerCase();
}

/** The body as an object of the resource's kind, normalised; what strict decoding found is refused, told or dropped as asked. */
export async function decodeBody(
  ctx: RequestContext,
  resource: ServedResource,
  fieldValidation: WriteOptions["fieldValidation"],
): Promise<KubeObject> {
  const report = new DecodeReport();
  const object = await parseBody(ctx, resource, report);
  await ctx.server.turns.breathe(ctx.body.byteLength);
  checkKind(ctx, object, resource);
  try {
    decodeObject(resource, object, report);
  } catch (error) {
    if (error instanceof DecodeError) throw unhandled(object, resource, error.message);
    throw error;
  }
  settle(report, fieldValidation, ctx, (why) => unhandled(object, resource, why));
  object.kind = resource.definition.kind;
  object.apiVersion = resource.apiVersion;
  return object;
}

/** An empty list of managed fields is a wish, not an absence: it is kept where other empty lists go. @throws DecodeError */
export function decodeObject(resource: ServedResource, object: KubeObject, report: DecodeReport): void {
  const sent: unknown = object.metadata?.managedFields;
  const { custom } = resource.definition;
  if (custom === undefined) decodeInto(resource.type, object, report);
  else custom.decode(object, report);
  if (Array.isArray(sent) && sent.length === 0 && object.metadata !== undefined) object.metadata.managedFields = [];
}

function settle(
  report: DecodeReport,
  mode: WriteOptions["fieldValidation"],
  ctx: RequestContext,
  error: (why: string) => StatusError,
): void {
  const { problems } = report;
  if (problems.length === 0 || mode === "Ignore") return;
  if (mode === "Strict") throw error(`strict decoding error: ${problems.join(", ")}`);
  ctx.warnings.push(...problems);
}

async function parseBody(ctx: RequestContext, resource: ServedResource, report: DecodeReport): Promise<KubeObject> {
  const type = mediaType(ctx.request.headers["content-type"]);
  const { kind, custom } = resource.definition;
  if (type === "application/vnd.kubernetes.protobuf") return protobufBody(ctx.body, resource);
  if (type !== "" && type !== "application/json" && type !== "application/yaml") throw unsupportedMediaType(accepted);
  try {
    const value =
      type === "application/yaml"
        ? await parseYaml(textOf(ctx.body), { report })
        : parseJson(ctx.body, { report, type: custom === undefined ? resource.type : undefined });
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as KubeObject;
    throw new DecodeError(
      `json: cannot unmarshal ${goJsonTypeOf(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${error.message} (${summary(ctx.body)})`,
    );
  }
}

function protobufBody(body: Uint8Array, resource: ServedResource): KubeObject {
  try {
    return decodeProtobuf(body, resource);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.definition.kind}): ${error.message} (${summary(body)})`,
    );
  }
}

function protobufOptions(body: Uint8Array, kind: string): KubeObject {
  try {
    return decodeProtobufOptions(body, kind);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(error.message);
  }
}

const longestSummary = 256;

/** How Kubernetes shows a body that it could not read: as text when it looks like an object, else in hex. */
function summary(body: Uint8Array): string {
  if (body.byteLength === 0) return "<empty>";
  const cut = body.byteLength > longestSummary;
  const shown = cut ? body.subarray(0, longestSummary) : body;
  const text = body[0] === 0x7b ? textOf(shown) : Buffer.from(shown).toString("hex");
  return cut ? `${text} ...` : text;
}

/** Kind and apiVersion may be left out; given, they must be the resource's. @throws badRequest() */
function checkKind(ctx: RequestContext, object: KubeObject, resource: ServedResource): void {
  const { definition, apiVersion } = resource;
  if (definition.custom !== undefined) {
    checkCustomKind(ctx, object, resource);
    return;
  }
  const given = { kind: object.kind ?? definition.kind, apiVersion: object.apiVersion ?? apiVersion };
  if (typeof given.kind !== "string" || typeof given.apiVersion !== "string") return;
  if (given.kind === "") given.kind = definition.kind;
  if (given.apiVersion === "") given.apiVersion = apiVersion;
  if (given.kind === definition.kind && (given.apiVersion === apiVersion || resource.alsoIn?.includes(given.apiVersion))) return;
  const from = parseApiVersion(given.apiVersion);
  if (from === undefined)
    throw badRequest(
      `${given.kind} in version ${goQuote(given.apiVersion)} cannot be handled as a ${definition.kind}: unexpected GroupVersion string: ${given.apiVersion}`,
    );
  const known = ctx.server.registry.byKind(from.group, from.version, given.kind);
  const head = `${given.kind} in version ${goQuote(from.version)} cannot be handled as a ${definition.kind}`;
  if (known === undefined) {
    throw badRequest(
      `${head}: no kind ${goQuote(given.kind)} is registered for version ${goQuote(given.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const { storage } = ctx.server.served.of(known);
  if (storage !== resource.storage) {
    throw badRequest(
      `${head}: converting (${from.version}.${given.kind}) to (${packageOf(definition.group)}.${definition.kind}): unknown conversion`,
    );
  }
  throw badRequest(`the API version in the data (${given.apiVersion}) does not match the expected API version (${apiVersion})`);
}

/** Custom resources come with both; another Kind is for validation to refuse, which goes first then. */
function checkCustomKind(ctx: RequestContext, object: KubeObject, resource: ServedResource): void {
  const { definition } = resource;
  const { kind, apiVersion, metadata } = object as Readonly<Record<string, unknown>> & Pick<KubeObject, "metadata">;
  if (typeof kind !== "string" || kind === "") throw unhandled({}, resource, `Object 'Kind' is missing in '${textOf(ctx.body)}'`);
  const version = typeof apiVersion === "string" ? apiVersion : "";
  if (version !== resource.apiVersion)
    throw badRequest(`the API version in the data (${version}) does not match the expected API version (${resource.apiVersion})`);
  if (kind === definition.kind) return;
  const name = typeof metadata?.name === "string" ? metadata.name : "";
  throw invalid({ group: definition.group, kind }, name, [field.invalid("kind", kind, `must be ${definition.kind}`)]);
}

/** The original's messages name the package of its internal types. */
export const packageOf = (group: string): string => (group === "" ? "core" : (group.split(".")[0] ?? group));

function unhandled(object: KubeObject, resource: ServedResource, why: string): StatusError {
  const { definition } = resource;
  const kind = typeof object.kind === "string" && object.kind !== "" ? object.kind : definition.kind;
  return badRequest(`${kind} in version ${goQuote(definition.version)} cannot be handled as a ${definition.kind}: ${why}`);
}

/** Options in a body, such as DeleteOptions, of any group's apiVersion. */
export async function decodeOptions<T>(ctx: RequestContext, kind: string): Promise<T> {
  const type = mediaType(ctx.request.headers["content-type"]);
  if (type === "application/vnd.kubernetes.protobuf") return protobufOptions(ctx.body, kind) as T;
  if (type !== "" && type !== "application/json" && type !== "application/yaml") throw unsupportedMediaType(accepted);
  const report = new DecodeReport();
  const struct = builtinTypes.get(`io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`);
  try {
    const value =
      type === "application/yaml" ? await parseYaml(textOf(ctx.body), { report }) : parseJson(ctx.body, { report, type: struct });
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new DecodeError(`json: cannot unmarshal ${goJsonTypeOf(value)} into Go value of type v1.${kind}`);
    const options = value as KubeObject;
    if (options.kind !== undefined && options.kind !== "" && options.kind !== kind) {
      throw badRequest(`decoded object cannot be converted to ${kind}`);
    }
    if (struct !== undefined) decodeInto(struct, options, report);
    return options as T;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
}

/** A JSON patch is a list, the others are objects; null stands for an empty one. */
export interface PatchBody {
  readonly value: unknown;
  /** Repeated keys, as strict decoding words them. */
  readonly problems: readonly string[];
}

/** @throws badRequest() in the words of the decoder that Kubernetes uses for the kind of patch and of validation */
export function parsePatchBody(
  ctx: RequestContext,
  kind: "json" | "merge" | "strategic",
  fieldValidation: WriteOptions["fieldValidation"],
): PatchBody {
  const report = new DecodeReport();
  try {
    const value = parseJson(ctx.body, { report, duplicates: "last" });
    if (kind !== "json" && (typeof value !== "object" || Array.isArray(value)))
      throw new DecodeError(`json: cannot unmarshal ${goJsonTypeOf(value)} into Go value of type map[string]interface {}`);
    return { value, problems: report.problems };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    if (kind === "strategic") throw badRequest(error.message);
    if (fieldValidation !== "Ignore") throw badRequest(`error decoding patch: ${error.message}`);
    throw badRequest(kind === "merge" ? "Invalid JSON Patch" : error.message);
  }
}
