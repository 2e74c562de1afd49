/** DeleteOptions come in the body, or, when there is none, as query parameters. */
import { type FieldError, field, invalid } from "@coxswain/machinery";
import { auditDeleteOptions } from "../audit/request-object.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import { type DeleteOptions, dryRunErrors, parseBool, parseInteger } from "../request/options.ts";
import { decodeOptions } from "./decode-body.ts";

export interface GivenDeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly dryRun?: readonly string[] | undefined;
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
}

const policies = ["Foreground", "Background", "Orphan"];

export async function decodeDeleteOptions(ctx: RequestContext): Promise<DeleteOptions> {
  const isSent = ctx.body.byteLength > 0;
  const given: GivenDeleteOptions = isSent ? await decodeOptions<GivenDeleteOptions>(ctx, "DeleteOptions") : fromQuery(ctx.query);
  if (isSent) auditDeleteOptions(ctx.audit, given);
  const options = checkDeleteOptions(given);
  const { garbageCollectionWarning: propagationWarning } = ctx.resource.definition.strategy;
  if (propagationWarning !== undefined && options.propagationPolicy === undefined) ctx.warnings.push(propagationWarning);
  return options;
}

/** @throws invalid() on DeleteOptions.meta.k8s.io */
export function checkDeleteOptions(given: GivenDeleteOptions): DeleteOptions {
  const errors: FieldError[] = [];
  if (given.orphanDependents !== undefined && given.propagationPolicy !== undefined) {
    errors.push(field.invalid("propagationPolicy", given.propagationPolicy, "orphanDependents and deletionPropagation cannot be both set"));
  }
  if (given.propagationPolicy !== undefined && !policies.includes(given.propagationPolicy)) {
    errors.push(field.notSupported("propagationPolicy", given.propagationPolicy, [...policies, "nil"]));
  }
  errors.push(...dryRunErrors(given.dryRun ?? []));
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
  return {
    dryRun: (given.dryRun?.length ?? 0) > 0,
    gracePeriodSeconds: given.gracePeriodSeconds,
    propagationPolicy: policyOf(given),
    cascades: given.orphanDependents === false,
    preconditions: given.preconditions ?? {},
  };
}

function policyOf(given: GivenDeleteOptions): DeleteOptions["propagationPolicy"] {
  if (given.orphanDependents !== undefined) return given.orphanDependents ? "Orphan" : "Background";
  return given.propagationPolicy as DeleteOptions["propagationPolicy"];
}

const fromQuery = (query: URLSearchParams): GivenDeleteOptions => ({
  gracePeriodSeconds: parseInteger(query.get("gracePeriodSeconds")),
  propagationPolicy: query.get("propagationPolicy") ?? undefined,
  orphanDependents: query.has("orphanDependents") ? parseBool(query.get("orphanDependents")) : undefined,
  dryRun: query.getAll("dryRun"),
});
