import { field, goQuote, trimRight, validateDns1035Label, validateDns1123Subdomain, validatePortNumber } from "@coxswain/machinery";
import type { APIService, APIServiceSpec, ServiceReference } from "@coxswain/types/apiregistration-v1";
import type { Validation } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors } from "../../../validation/checks.ts";

export const apiServiceValidation: Validation<APIService> = {
  validate: ({ metadata, spec }) => {
    const out: Errors = [];
    const { group = "", version = "", groupPriorityMinimum = 0, versionPriority = 0 } = spec ?? {};
    const name = `${version}.${group}`;
    if (metadata?.name && metadata.name !== name) {
      out.push(field.invalid("metadata.name", metadata.name, `must be \`spec.version+"."+spec.group\`: ${goQuote(name)}`));
    }
    if (group === "" && version !== "v1") {
      out.push(field.required("spec.group", "only v1 may have an empty group and it better be legacy kube"));
    }
    if (group !== "") addInvalid(out, "spec.group", group, validateDns1123Subdomain(group));
    addInvalid(out, "spec.version", version, validateDns1035Label(version));
    if (groupPriorityMinimum <= 0 || groupPriorityMinimum > maxGroupPriority) {
      out.push(field.invalid("spec.groupPriorityMinimum", groupPriorityMinimum, "must be positive and less than 20000"));
    }
    if (versionPriority <= 0 || versionPriority > maxVersionPriority) {
      out.push(field.invalid("spec.versionPriority", versionPriority, "must be positive and less than 1000"));
    }
    validateBackend(out, spec);
    return out;
  },
};

const maxGroupPriority = 20_000;

const maxVersionPriority = 1000;

function validateBackend(
  out: Errors,
  { service, caBundle = "", insecureSkipTLSVerify: insecure = false }: Partial<APIServiceSpec> = {},
): void {
  if (service !== undefined) {
    validateService(out, "spec.service", service);
    if (insecure && caBundle !== "")
      out.push(field.invalid("spec.insecureSkipTLSVerify", insecure, "may not be true if caBundle is present"));
    return;
  }
  if (caBundle !== "") {
    out.push(field.invalid("spec.caBundle", `${bytesOf(caBundle)} bytes`, "local APIServices may not have a caBundle"));
  }
  if (insecure) out.push(field.invalid("spec.insecureSkipTLSVerify", insecure, "local APIServices may not have insecureSkipTLSVerify"));
}

function validateService(out: Errors, path: string, { namespace, name, port = 0 }: Readonly<ServiceReference>): void {
  if (!namespace) out.push(field.required(`${path}.namespace`));
  if (!name) out.push(field.required(`${path}.name`));
  const problems = validatePortNumber(port);
  if (problems.length > 0) out.push(field.invalid(`${path}.port`, port, `port is not valid: ${problems.join(", ")}`));
}

/** Of padded base64. */
const bytesOf = (base64: string): number => (base64.length / 4) * 3 - (base64.length - trimRight(base64, "=").length);
