/**
 * No client becomes an administrator by a certificate, and what is no signing request with a good signature is not stored.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#certificatesubjectrestriction
 */
import { apiServerClientSigner, type certificatesV1 } from "@coxswain/api";
import { field, forbidden, invalid } from "@coxswain/machinery";
import { attributeTypes, valuesOf } from "@coxswain/pki";
import { parseSigningRequest, type SigningRequest, SigningRequestError } from "@coxswain/pki/node";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";

const administrators = "system:masters";

export const certificateSubjectRestriction: AdmissionPluginFactory = {
  name: "CertificateSubjectRestriction",
  create: () => ({
    handles: ({ operation, resource, subresource }) =>
      operation === "create" && subresource === "" && resource.definition.kind === "CertificateSigningRequest",
    validate(request) {
      const { spec } = request.object as certificatesV1.CertificateSigningRequest;
      const { subject } = parsed(request, spec?.request ?? "");
      if (spec?.signerName !== apiServerClientSigner || !valuesOf(subject, attributeTypes.organization).includes(administrators)) return;
      const why = `use of ${apiServerClientSigner} signer with ${administrators} group is not allowed`;
      throw forbidden(request.resource.groupResource, request.name, why);
    },
  }),
};

function parsed({ resource, object }: AdmissionRequest, text: string): SigningRequest {
  try {
    return parseSigningRequest(text);
  } catch (error) {
    if (!(error instanceof SigningRequestError)) throw error;
    throw invalid(resource.definition, object?.metadata?.name ?? "", [field.invalid("spec.request", text, error.message)]);
  }
}
