/** @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#certificatesigning */
import type { certificatesV1 } from "@coxswain/api";
import { deepEqual } from "@coxswain/machinery";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import { authorizeForSigner, isSigningRequestUpdate, type SignerServices } from "./authorize-for-signer.ts";

export const certificateSigning: AdmissionPluginFactory<SignerServices> = {
  name: "CertificateSigning",
  create: (services) => ({
    handles: (request) => isSigningRequestUpdate(request, "status"),
    async validate(request) {
      const [next, previous] = [request.object, request.previous].map((csr) => (csr as certificatesV1.CertificateSigningRequest).status);
      const same = (next?.certificate ?? "") === (previous?.certificate ?? "") && deepEqual(next?.conditions, previous?.conditions);
      if (!same) await authorizeForSigner(services, "sign", request);
    },
  }),
};
