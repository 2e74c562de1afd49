import { field, regexMessage, validateDns1123Label, validateDns1123Subdomain } from "@coxswain/machinery";
import type { IngressClass, IngressClassParametersReference } from "@coxswain/types/networking-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors, immutable, isSet, requiredPathSegment } from "../../../validation/checks.ts";
import { utf8Length } from "../../../validation/utf8-length.ts";
import { ingressClassColumns } from "./columns.ts";

export const ingressClass = defineKind<IngressClass>({
  type: "io.k8s.api.networking.v1.IngressClass",
  metadataPasses: ["changes", "whole"],
  defaults(obj) {
    if (obj.spec?.parameters !== undefined) obj.spec.parameters.scope ??= "Cluster";
  },
  validate: ({ spec = {} }) => {
    const out: Errors = [];
    validateController(out, spec.controller ?? "");
    if (spec.parameters !== undefined) validateParameters(out, spec.parameters);
    return out;
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    immutable(out, "spec.controller", next.spec?.controller ?? "", prev.spec?.controller ?? "");
    return out;
  },
  columns: ingressClassColumns,
});

const maxControllerBytes = 250;
const pathForm = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const controllerPath = new RegExp(`^${pathForm}$`);

/** A domain and a path, as in `example.com/ingress-controller`. */
function validateController(out: Errors, controller: string): void {
  const at = "spec.controller";
  if (utf8Length(controller) > maxControllerBytes) out.push(field.tooLong(at, maxControllerBytes));
  if (controller === "") return void out.push(field.required(at));
  const slash = controller.indexOf("/");
  const [host, path] = [controller.slice(0, Math.max(slash, 0)), controller.slice(slash + 1)];
  if (host === "" || path === "") {
    return void out.push(field.invalid(at, controller, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  }
  addInvalid(out, at, host, validateDns1123Subdomain(host));
  if (!controllerPath.test(path)) out.push(field.invalid(at, path, regexMessage("Invalid path", pathForm)));
}

function validateParameters(out: Errors, { apiGroup, kind, name, scope, namespace }: IngressClassParametersReference): void {
  const path = "spec.parameters";
  if (isSet(apiGroup)) addInvalid(out, `${path}.apiGroup`, apiGroup, validateDns1123Subdomain(apiGroup));
  requiredPathSegment(out, `${path}.kind`, kind);
  requiredPathSegment(out, `${path}.name`, name);
  if (scope === undefined) out.push(field.required(`${path}.scope`));
  else if (scope === "Namespace") {
    if (namespace === undefined) out.push(field.required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'"));
    else addInvalid(out, `${path}.namespace`, namespace, validateDns1123Label(namespace));
  } else if (scope !== "Cluster") out.push(field.notSupported(`${path}.scope`, scope, ["Cluster", "Namespace"]));
  else if (namespace !== undefined) out.push(field.forbidden(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'"));
}
