import { deepEqual, field, goQuote } from "@coxswain/machinery";
import { defineKind, type Requester } from "../../../strategy/strategy.ts";
import type { CertificateSigningRequest } from "../../../types/certificates-v1.ts";
import { type Errors, oneOf } from "../../../validation/checks.ts";
import { validateSignerName } from "../../../validation/signer-name.ts";
import { certificateSigningRequestColumns } from "./columns.ts";
import { stampConditions } from "./condition-times.ts";
import { certificateProblem, requestProblem } from "./pem.ts";

const usages = [
  ...["any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment", "decipher only"],
  ...["digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel", "ipsec user", "key agreement"],
  ...["key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime", "server auth", "signing", "timestamping"],
];
/** Once one of these is there, it stays. */
const lasting = ["Approved", "Denied", "Failed"];
const legacySigner = "kubernetes.io/legacy-unknown";
const minSeconds = 600;

/**
 * Who asks is for the server to say: the requester's fields are cleared here and set by `stampRequester`.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/
 */
export const certificateSigningRequest = defineKind<CertificateSigningRequest>({
  type: "io.k8s.api.certificates.v1.CertificateSigningRequest",
  name: "pathSegment",
  resetFields: { main: [["spec"]], status: [["status", "conditions"]], approval: [["spec"], ["status", "certificate"]] },
  generation: "never",
  prepareForCreate(obj, by) {
    const { username: _, uid: __, groups: ___, extra: ____, ...spec } = obj.spec ?? {};
    obj.spec = spec;
    obj.status = {};
    if (by !== undefined) stampRequester(obj, by);
  },
  prepareForUpdate(next, prev) {
    next.spec = structuredClone(prev.spec);
  },
  /** The status belongs to the signer, but not the decision. */
  prepareForStatusUpdate(next, prev, now) {
    const conditions = next.status?.conditions;
    if (conditions === undefined) return;
    for (const type of ["Approved", "Denied"]) {
      const old = prev.status?.conditions?.filter((condition) => condition.type === type) ?? [];
      const places = [...conditions.keys()].filter((i) => conditions[i]?.type === type);
      if (old.length !== places.length) continue;
      for (const [n, i] of places.entries()) conditions.splice(i, 1, structuredClone(old[n] ?? { type, status: "" }));
    }
    if (now !== undefined) stampConditions(next, prev, now);
  },
  validate,
  validateUpdate: (next, prev) => validateStatusChange(next, prev, "nothing"),
  validateStatusUpdate: (next, prev) => [...validate(next), ...validateStatusChange(next, prev, "certificate")],
  selectableFields: ({ spec }) => ({ "spec.signerName": spec?.signerName ?? "" }),
  columns: certificateSigningRequestColumns,
});

function validate(obj: Readonly<CertificateSigningRequest>): Errors {
  const out: Errors = [];
  validateSpec(out, "spec", obj.spec);
  validateConditions(out, "status.conditions", obj);
  const problem = certificateProblem(obj.status?.certificate);
  if (problem !== undefined) out.push(field.invalid("status.certificate", "<certificate data>", problem));
  return out;
}

/** What a write may change in the status: nothing on the main resource, the certificate on /status, the decision on /approval. */
type Changeable = "nothing" | "certificate" | "decision";

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

function validateSpec(out: Errors, path: string, spec: Readonly<CertificateSigningRequest["spec"]> | undefined): void {
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

function validateConditions(out: Errors, path: string, { status }: Readonly<CertificateSigningRequest>): void {
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

/** The client's own claims about itself were cleared before. In place. */
function stampRequester(obj: CertificateSigningRequest, { username, uid, groups = [], extra = {} }: Requester): void {
  const extras = Object.entries(extra).map(([key, values]): [string, string[]] => [key, [...values]]);
  obj.spec = {
    ...obj.spec,
    username,
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups: [...groups] } : {}),
    ...(extras.length > 0 ? { extra: Object.fromEntries(extras) } : {}),
  };
}
