/** @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#certificateapproval */
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import { authorizeForSigner, isSigningRequestUpdate, type SignerServices } from "./authorize-for-signer.ts";

export const certificateApproval: AdmissionPluginFactory<SignerServices> = {
  name: "CertificateApproval",
  create: (services) => ({
    handles: (request) => isSigningRequestUpdate(request, "approval"),
    validate: (request) => authorizeForSigner(services, "approve", request),
  }),
};
