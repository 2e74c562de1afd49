import { deepEqual, field, goQuote } from "@coxswain/machinery";
import type { CertificateSigningRequest } from "@coxswain/types/certificates-v1";
import type { Validation } from "../../../strategy/strategy.ts";
import { type Errors, oneOf } from "../../../validation/checks.ts";
import { validateSignerName } from "../../../validation/signer-name.ts";
import { certificateProblem, requestProblem } from "./pem.ts";

export const certificateSigningRequestValidation: Validation<CertificateSigningRequest> = {
  validate,
  validateUpdate: (next, prev) => validateStatusChange(next, prev, "nothing"),
};

export const usages = [
  ...["any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment", "decipher only"],
  ...["digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel", "ipsec user", "key agreement"],
  ...["key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime", "server auth", "signing", "timestamping"],
];

/** Once one of these is there, it stays. */
export const lasting = ["Approved", "Denied", "Failed"];

export const legacySigner = "kubernetes.io/legacy-unknown";

export const minSeconds = 600;

export function validate(obj: Readonly<CertificateSigningRequest>): Errors {
  const out: Errors = [];
  validateSpec(out, "spec", obj.spec);
  validateConditions(out, "status.conditions", obj);
  const problem = certificateProblem(obj.status?.certificate);
  if (problem !== undefined) out.push(field.invalid("status.certificate", "<certificate data>", problem));
  return out;
}

/** What a write may change in the status: nothing on the main resource, the certificate on /status, the decision on /approval. */
export type Changeable = "nothing" | "certificate" | "decision";

export function validateStatusChange(
  next: Readonly<CertificateSigningRequest>,
  prev: Readonly<CertificateSigningRequest>,
  changeable: Changeable,
): Errors {
  const out: Errors = [];
  for (const type of lasting) {
    const [after, before] = [next, prev].map(({ status }) => status?.conditions?.filter((condition) => condition.type === type) ?? []);
    const growth = (after?.length ?? 0) - (before?.length ?? 0);
    const refuse = (verb: string) =>
      out.push(field.forbidden("status.conditions", `updates may not ${verb} a condition of type ${goQuote(type)}`));
    if (growth < 0) refuse("remove");
    else if (changeable === "decision" || type === "Failed") continue;
    else if (growth > 0) refuse("add");
    else if (!deepEqual(after, before)) refuse("modify");
  }
  const [after, before] = [next.status?.certificate ?? "", prev.status?.certificate ?? ""];
  if (after === before) return out;
  if (changeable !== "certificate") out.push(field.forbidden("status.certificate", "updates may not set certificate content"));
  else if (before !== "") out.push(field.forbidden("status.certificate", "updates may not modify existing certificate content"));
  return out;
}

export function validateSpec(out: Errors, path: string, spec: Readonly<CertificateSigningRequest["spec"]> | undefined): void {
  const { request = "", usages: asked = [], signerName = "", expirationSeconds } = spec ?? {};
  const problem = requestProblem(request);
  if (problem !== undefined) out.push(field.invalid(`${path}.request`, request, problem));
  if (asked.length === 0) out.push(field.required(`${path}.usages`));
  for (const [i, usage] of asked.entries()) {
    oneOf(out, `${path}.usages[${i}]`, usage, usages);
    if (asked.indexOf(usage) < i) out.push(field.duplicate(`${path}.usages[${i}]`, usage));
  }
  if (signerName === legacySigner) {
    out.push(field.invalid(`${path}.signerName`, signerName, "the legacy signerName is not allowed via this API version"));
  } else validateSignerName(out, `${path}.signerName`, signerName);
  if (expirationSeconds !== undefined && expirationSeconds < minSeconds) {
    const why = "may not specify a duration less than 600 seconds (10 minutes)";
    out.push(field.invalid(`${path}.expirationSeconds`, expirationSeconds, why));
  }
}

export function validateConditions(out: Errors, path: string, { status }: Readonly<CertificateSigningRequest>): void {
  const seen = new Set<string>();
  for (const [i, { type, status: state }] of (status?.conditions ?? []).entries()) {
    const at = `${path}[${i}]`;
    if (!type) out.push(field.required(`${at}.type`));
    if (!state) out.push(field.required(`${at}.status`));
    else oneOf(out, `${at}.status`, state, lasting.includes(type) ? ["True"] : ["False", "True", "Unknown"]);
    if ((type === "Approved" && seen.has("Denied")) || (type === "Denied" && seen.has("Approved"))) {
      out.push(field.invalid(path, type, "Approved and Denied conditions are mutually exclusive"));
    }
    if (seen.has(type)) out.push(field.duplicate(`${at}.type`, type));
    seen.add(type);
  }
}
