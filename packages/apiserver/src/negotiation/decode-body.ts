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
  inOrderOf,
  invalid,
  type KubeObject,
  parseApiVersion,
  parseJson,
  type StatusError,
} from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { WriteOptions } from "../request/options.ts";
import { textOf } from "../storage/stored-object.ts";
import { packageOf } from "./go-package.ts";
import { checkMediaType, parseObject, summary } from "./parse-body.ts";
import { decodeProtobuf, decodeProtobufOptions } from "./protobuf.ts";

/** The body as an object of the resource's kind, normalised; what strict decoding found is refused, told or dropped as asked. */
export async function decodeBody(
  ctx: RequestContext,
  resource: ServedResource,
  fieldValidation: WriteOptions["fieldValidation"],
): Promise<KubeObject> {
  const report = new DecodeReport();
  const object = await parseBody(ctx, resource, report);
  await ctx.server.eventLoop.yieldFor(ctx.body.byteLength);
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
  if (report.problems.length === 0 || mode === "Ignore") return;
  const problems = checkMediaType(ctx) === "json" ? inOrderOf(textOf(ctx.body), report) : report.problems;
  if (mode === "Strict") throw error(`strict decoding error: ${problems.join(", ")}`);
  ctx.warnings.push(...problems.flatMap(linesOf));
}

/** What YAML objects to is one problem of several lines, behind one that says so, and several warnings. */
export function linesOf(problem: string): readonly string[] {
  const [first = "", ...lines] = problem.split("\n");
  return lines.length === 0 ? [first] : lines.map((line) => line.trim());
}

async function parseBody(ctx: RequestContext, resource: ServedResource, report: DecodeReport): Promise<KubeObject> {
  const { definition, type } = resource;
  try {
    if (checkMediaType(ctx) === "protobuf") return decodeProtobuf(ctx.body, resource);
    const object = await parseObject(ctx, report, definition.custom === undefined ? type : undefined);
    if (definition.custom !== undefined && !object.kind) throw new DecodeError(`Object 'Kind' is missing in '${textOf(ctx.body)}'`);
    return object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`the object provided is unrecognized (must be of type ${definition.kind}): ${error.message} (${summary(ctx.body)})`);
  }
}

/** Kind and apiVersion may be left out; given, they must be the resource's. @throws badRequest() */
function checkKind(ctx: RequestContext, object: KubeObject, resource: ServedResource): void {
  const { definition, apiVersion } = resource;
  if (definition.custom !== undefined) {
    checkCustomKind(object, resource);
    return;
  }
  const given = { kind: object.kind ?? definition.kind, apiVersion: object.apiVersion ?? apiVersion };
  if (typeof given.kind !== "string" || typeof given.apiVersion !== "string") return;
  if (given.kind === "") given.kind = definition.kind;
  if (given.apiVersion === "") given.apiVersion = apiVersion;
  if (given.kind === definition.kind && (given.apiVersion === apiVersion || resource.alsoIn?.includes(given.apiVersion))) return;
  const otherVersion = `the API version in the data (${given.apiVersion}) does not match the expected API version (${apiVersion})`;
  if (given.kind === definition.kind && resource.notIn?.includes(given.apiVersion)) throw badRequest(otherVersion);
  const from = parseApiVersion(given.apiVersion);
  if (from === undefined)
    throw badRequest(
      `${given.kind} in version ${goQuote(given.apiVersion)} cannot be handled as a ${definition.kind}: unexpected GroupVersion string: ${given.apiVersion}`,
    );
  const known = ctx.server.registry.byKind(from.group, from.version, given.kind);
  const head = `${given.kind} in version ${goQuote(from.version)} cannot be handled as a ${definition.kind}`;
  if (known === undefined) {
    throw badRequest(`${head}: ${unregistered(given.kind, given.apiVersion)}`);
  }
  const { storage } = ctx.server.served.of(known);
  if (storage !== resource.storage) {
    throw badRequest(
      `${head}: converting (${from.version}.${given.kind}) to (${packageOf(definition.group)}.${definition.kind}): unknown conversion`,
    );
  }
  throw badRequest(otherVersion);
}

/** Custom resources come with both; another Kind is for validation to refuse, which goes first then. */
function checkCustomKind(object: KubeObject, resource: ServedResource): void {
  const { definition } = resource;
  const { kind = "", apiVersion: version = "", metadata } = object;
  if (version !== resource.apiVersion)
    throw badRequest(`the API version in the data (${version}) does not match the expected API version (${resource.apiVersion})`);
  if (kind === definition.kind) return;
  const name = typeof metadata?.name === "string" ? metadata.name : "";
  throw invalid({ group: definition.group, kind }, name, [field.invalid("kind", kind, `must be ${definition.kind}`)]);
}

export const unregistered = (kind: string, apiVersion: string): string =>
  `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;

function unhandled(object: KubeObject, resource: ServedResource, why: string): StatusError {
  const { definition } = resource;
  const kind = typeof object.kind === "string" && object.kind !== "" ? object.kind : definition.kind;
  return badRequest(`${kind} in version ${goQuote(definition.version)} cannot be handled as a ${definition.kind}: ${why}`);
}

/** Options in a body, such as DeleteOptions, of any group's apiVersion. */
export async function decodeOptions<T>(ctx: RequestContext, kind: string): Promise<T> {
  const report = new DecodeReport();
  const struct = builtinTypes.get(`io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`);
  try {
    if (checkMediaType(ctx) === "protobuf") return decodeProtobufOptions(ctx.body, kind) as T;
    const options = await parseObject(ctx, report, struct);
    if (options.kind && options.kind !== kind) throw new DecodeError(unregistered(options.kind, options.apiVersion || "meta.k8s.io/v1"));
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
