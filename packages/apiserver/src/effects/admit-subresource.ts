/** Admission of what is posted to a subresource and stored nowhere itself: an Eviction, a Binding, a TokenRequest. */
import type { KubeObject } from "@coxswain/machinery";
import type { Admission, AdmissionRequest } from "../contracts/admission.ts";
import type { RequestContext } from "../contracts/request-context.ts";

/** `object` is changed in place by plugins that mutate. */
export const subresourceAdmission = (
  { resource, info, user, query, warnings, audit }: Pick<RequestContext, "resource" | "info" | "user" | "query" | "warnings" | "audit">,
  object: KubeObject,
  dryRun: boolean,
): AdmissionRequest => ({
  operation: "create",
  resource,
  subresource: info.subresource,
  namespace: info.namespace,
  name: info.name,
  user,
  dryRun,
  object,
  previous: undefined,
  options: query,
  warnings,
  auditAnnotations: audit?.annotations,
});

/** @throws what a plugin refuses it with */
export async function admitSubresource(admission: Admission, ctx: RequestContext, object: KubeObject, dryRun: boolean): Promise<void> {
  const request = subresourceAdmission(ctx, object, dryRun);
  await admission.mutate(request);
  await admission.validate(request);
}
