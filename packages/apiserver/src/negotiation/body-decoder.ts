/** Request bodies as objects of a resource's kind: JSON, YAML or protobuf. */
import {
  badRequest,
  DecodeError,
  DecodeReport,
  field,
  goQuote,
  inOrderOf,
  invalid,
  type KubeObject,
  parseApiVersion,
  type StatusError,
} from "@coxswain/machinery";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResource, ServedResources } from "../contracts/served-resource.ts";
import type { WriteOptions } from "../request/options.ts";
import type { EventLoop } from "../storage/event-loop.ts";
import { textOf } from "../storage/stored-object.ts";
import { decodeObject, linesOf, unregistered } from "./decode-body.ts";
import { packageOf } from "./go-package.ts";
import { checkMediaType, parseObject, summary } from "./parse-body.ts";
import { decodeProtobuf } from "./protobuf.ts";

export interface BodyDecoderOptions {
  readonly served: Pick<ServedResources, "byKind">;
  readonly eventLoop: EventLoop;
}

export class BodyDecoder {
  readonly #options: BodyDecoderOptions;

  constructor(options: BodyDecoderOptions) {
    this.#options = options;
  }

  /**
   * The body as an object of the resource's kind, normalised; what strict decoding found is refused, answered as warnings or
   * dropped as asked. @throws badRequest(), invalid(), 415
   */
  async decode(ctx: RequestContext, resource: ServedResource, fieldValidation: WriteOptions["fieldValidation"]): Promise<KubeObject> {
    const report = new DecodeReport();
    const parsed = parseBody(ctx, resource, report);
    const object = parsed instanceof Promise ? await parsed : parsed;
    const pause = this.#options.eventLoop.yieldFor(ctx.body.byteLength);
    if (pause !== undefined) await pause;
    checkKind(this.#options.served, object, resource);
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

function parseBody(ctx: RequestContext, resource: ServedResource, report: DecodeReport): KubeObject | Promise<KubeObject> {
  const { definition, type } = resource;
  const refuse = (error: unknown): never => {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`the object provided is unrecognized (must be of type ${definition.kind}): ${error.message} (${summary(ctx.body)})`);
  };
  const identified = (object: KubeObject): KubeObject => {
    if (definition.custom !== undefined && !object.kind) throw new DecodeError(`Object 'Kind' is missing in '${textOf(ctx.body)}'`);
    return object;
  };
  try {
    if (checkMediaType(ctx) === "protobuf") return decodeProtobuf(ctx.body, resource);
    const parsed = parseObject(ctx, report, definition.custom === undefined ? type : undefined);
    return parsed instanceof Promise ? parsed.then(identified).catch(refuse) : identified(parsed);
  } catch (error) {
    return refuse(error);
  }
}

/** Kind and apiVersion may be left out; given, they must be the resource's. @throws badRequest() */
function checkKind(served: Pick<ServedResources, "byKind">, object: KubeObject, resource: ServedResource): void {
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
  const known = served.byKind(from.group, from.version, given.kind);
  const head = `${given.kind} in version ${goQuote(from.version)} cannot be handled as a ${definition.kind}`;
  if (known === undefined) {
    throw badRequest(`${head}: ${unregistered(given.kind, given.apiVersion)}`);
  }
  if (known.storage !== resource.storage) {
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

function unhandled(object: KubeObject, resource: ServedResource, why: string): StatusError {
  const { definition } = resource;
  const kind = typeof object.kind === "string" && object.kind !== "" ? object.kind : definition.kind;
  return badRequest(`${kind} in version ${goQuote(definition.version)} cannot be handled as a ${definition.kind}: ${why}`);
}
