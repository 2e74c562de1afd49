/** Request bodies: JSON, YAML or protobuf, with the errors that Kubernetes gives for what is none of them. */
import { builtinTypes } from "@coxswain/api";
import { badRequest, DecodeError, DecodeReport, decodeInto, goJsonTypeOf, goQuote, type KubeObject, parseJson } from "@coxswain/machinery";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { WriteOptions } from "../request/options.ts";
import { noteEmptied } from "./emptied-fields.ts";
import { checkMediaType, parseObject } from "./parse-body.ts";
import { decodeProtobufOptions } from "./protobuf.ts";

/** An empty list of managed fields resets them and differs from none: it is kept where other empty lists are dropped. @throws DecodeError */
export function decodeObject(resource: ServedResource, object: KubeObject, report: DecodeReport): void {
  const sent: unknown = object.metadata?.managedFields;
  const { custom } = resource.definition;
  if (custom === undefined) decodeInto(resource.type, object, report);
  else custom.decode(object, report);
  if (report.emptied.length > 0) noteEmptied(object, report.emptied);
  if (Array.isArray(sent) && sent.length === 0 && object.metadata !== undefined) object.metadata.managedFields = [];
}

/** What YAML objects to is one problem of several lines, behind one that says so, and several warnings. */
export function linesOf(problem: string): readonly string[] {
  const [first = "", ...lines] = problem.split("\n");
  return lines.length === 0 ? [first] : lines.map((line) => line.trim());
}

export const unregistered = (kind: string, apiVersion: string): string =>
  `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;

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
