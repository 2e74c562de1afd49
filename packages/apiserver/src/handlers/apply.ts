/**
 * Server-side apply: a PATCH that says what its manager wants, and nothing else.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */

import type { SubresourceStrategy } from "@coxswain/api";
import { applyObject, type ManagedFields, unmanaged } from "@coxswain/apply";
import { badRequest, DecodeError, DecodeReport, goJsonTypeOf, type KubeObject, notFound, parseYaml } from "@coxswain/machinery";
import type { Reply } from "../contracts/http.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import { decodeObject, linesOf } from "../negotiation/decode-body.ts";
import type { Change } from "../registry/change.ts";
import type { GenericRegistry } from "../registry/generic-registry.ts";
import { checkName, preconditionConflict } from "../registry/metadata.ts";
import { parseWriteOptions, type WriteOptions } from "../request/options.ts";
import type { ResponseWriter } from "../responsewriters/response-writer.ts";
import { cloneJson } from "../storage/clone-json.ts";
import { withConversions } from "../storage/replay.ts";
import { keyOf } from "../storage/served-resource.ts";
import { textOf } from "../storage/stored-object.ts";

export interface ApplyServices {
  readonly registry: Pick<GenericRegistry, "create" | "update" | "fields">;
  readonly responses: ResponseWriter;
}

export async function apply(
  { registry, responses }: ApplyServices,
  ctx: RequestContext,
  part: Change["part"],
  strategy?: SubresourceStrategy,
): Promise<Reply> {
  const { info, resource } = ctx;
  const options = parseWriteOptions(ctx.query, "PatchOptions", true);
  const { object: applied, settle } = await parseApplied(ctx, options);
  const by = registry.fields.applyBy(ctx, options.force);
  let managed: ManagedFields = unmanaged;
  let status = 200;
  const outcome = await registry.update(ctx, info.name, {
    part,
    dryRun: options.dryRun,
    ...(strategy?.validateUpdate === undefined ? {} : { validate: strategy.validateUpdate }),
    managed: () => managed,
    next: async (current, before) => {
      const made = await withConversions(ctx.resource, (convert) =>
        applyObject(current, applied, before, registry.fields.applyBy(ctx, options.force, convert)),
      );
      settle();
      managed = made.managed;
      status = 200;
      const next = settled(ctx, made.object);
      strategy?.prepareForUpdate?.(next, current, by.now);
      return next;
    },
    whenAbsent: async () => {
      const { uid } = applied.metadata ?? {};
      if (info.subresource !== "") throw notFound(resource.groupResource, info.name);
      if (uid !== undefined && uid !== "")
        throw preconditionConflict(resource, keyOf(resource, info.namespace, info.name), info.name, {
          what: "UID",
          asked: uid,
          actual: "",
        });
      status = 201;
      const made = applyObject(by.empty, applied, unmanaged, by);
      settle();
      return registry.create(ctx, settled(ctx, made.object), options.dryRun, made.managed);
    },
  });
  return responses.outcome(ctx, status, outcome);
}

/** The result of an apply as if a client had sent it whole: decoded, defaulted, and the caller's to change. */
export function settled({ resource, info }: RequestContext, made: Readonly<KubeObject>): KubeObject {
  const object = cloneJson(made as KubeObject);
  const { custom } = resource.definition;
  if (custom === undefined) decodeObject(resource, object, new DecodeReport());
  else custom.settle(object);
  resource.definition.strategy.defaults?.(object);
  checkName(object, info.name);
  return object;
}

export interface Applied {
  /** As it was sent: fields that its type does not know are the apply's to refuse. */
  readonly object: KubeObject;
  /** Rejects, or warns of, what strict decoding finds in it, which comes after what the apply finds. */
  settle(): void;
}

export async function parseApplied(ctx: RequestContext, options: WriteOptions): Promise<Applied> {
  const report = new DecodeReport();
  let value: unknown;
  try {
    value = await parseYaml(textOf(ctx.body), { report });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`error decoding YAML: ${error.message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badRequest(`error decoding YAML: json: cannot unmarshal ${goJsonTypeOf(value)} into Go value of type map[string]interface {}`);
  }
  const object = value as KubeObject;
  checkIdentity(ctx, object);
  const { problems } = report;
  const settle = (): void => {
    if (problems.length === 0) return;
    if (options.fieldValidation === "Strict")
      throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${problems.join(", ")}`);
    if (options.fieldValidation === "Warn") ctx.warnings.push(...problems.flatMap(linesOf));
  };
  return { object, settle };
}

/** @throws badRequest() when it is not of the request's kind */
function checkIdentity({ resource }: RequestContext, { apiVersion, kind }: KubeObject): void {
  if (apiVersion === resource.apiVersion && kind === resource.definition.kind) return;
  throw badRequest(`invalid object type: ${printedVersion(apiVersion)}, Kind=${typeof kind === "string" ? kind : ""}`);
}

/** With the empty group of the core, and empty where it is none. */
function printedVersion(apiVersion: unknown): string {
  const parts = typeof apiVersion === "string" ? apiVersion.split("/") : [];
  if (parts.length === 2) return parts.join("/");
  return `/${parts.length === 1 ? parts[0] : ""}`;
}
