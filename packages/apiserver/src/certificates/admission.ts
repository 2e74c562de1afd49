/** What is looked at in a certificate signing request beyond its fields, before it is kept. */

import type { certificatesV1 } from "@coxswain/api";
import { apiServerClientSigner } from "@coxswain/api";
import { attributeTypes, deepEqual, field, forbidden, goQuote, invalid, valuesOf } from "@coxswain/machinery";
import type { AdmissionPlugin, AdmissionRequest } from "../admission/admission.ts";
import { parseSigningRequest, type SigningRequest, SigningRequestError } from "./signing-request.ts";

type Csr = certificatesV1.CertificateSigningRequest;

const administrators = "system:masters";

/**
 * Nobody gets to be an administrator by a certificate, and what is no signing request with a good signature is not kept.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#certificatesubjectrestriction
 */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: "CertificateSubjectRestriction",
  handles: ({ operation, resource, subresource }) =>
    operation === "create" && subresource === "" && resource.definition.kind === "CertificateSigningRequest",
  validate(request) {
    const { spec } = request.object as Csr;
    const { subject } = parsed(request, spec?.request ?? "");
    if (spec?.signerName !== apiServerClientSigner || !valuesOf(subject, attributeTypes.organization).includes(administrators)) return;
    const why = `use of ${apiServerClientSigner} signer with ${administrators} group is not allowed`;
    throw forbidden(request.resource.groupResource, request.name, why);
  },
};

/** @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#certificateapproval */
export const certificateApproval: AdmissionPlugin = {
  name: "CertificateApproval",
  handles: (request) => isUpdate(request, "approval"),
  validate: (request) => mayDo("approve", request),
};

/** @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#certificatesigning */
export const certificateSigning: AdmissionPlugin = {
  name: "CertificateSigning",
  handles: (request) => isUpdate(request, "status"),
  async validate(request) {
    const [next, previous] = [request.object, request.previous].map((csr) => (csr as Csr).status);
    const same = (next?.certificate ?? "") === (previous?.certificate ?? "") && deepEqual(next?.conditions, previous?.conditions);
    if (!same) await mayDo("sign", request);
  },
};

const isUpdate = ({ operation, resource, subresource }: AdmissionRequest, wanted: string): boolean =>
  operation === "update" && subresource === wanted && resource.definition.kind === "CertificateSigningRequest";

/** Who may do it for the signer, or for all signers of its domain. @throws forbidden() */
async function mayDo(verb: "approve" | "sign", { server, user, resource, name, previous }: AdmissionRequest): Promise<void> {
  const signer = (previous as Csr).spec?.signerName ?? "";
  const attributes = { kind: "resource", user, verb, group: resource.definition.group, version: "*", resource: "signers" } as const;
  for (const allowed of [signer, `${signer.split("/", 1)[0]}/*`]) {
    const decision = await server.authorize({ ...attributes, subresource: "", namespace: "", name: allowed });
    if (decision.kind === "allow") return;
  }
  throw forbidden(resource.groupResource, name, `user not permitted to ${verb} requests with signerName ${goQuote(signer)}`);
}

function parsed({ resource, object }: AdmissionRequest, text: string): SigningRequest {
  try {
    return parseSigningRequest(text);
  } catch (error) {
    if (!(error instanceof SigningRequestError)) throw error;
    throw invalid(resource.definition, object?.metadata?.name ?? "", [field.invalid("spec.request", text, error.message)]);
  }
}
