/**
 * Who may approve or sign for a signer: whoever may do it for that signer, or for all of its domain.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#authorization
 */
import type { certificatesV1 } from "@coxswain/api";
import { forbidden, goQuote } from "@coxswain/machinery";
import type { AdmissionRequest } from "../contracts/admission.ts";
import type { Authorizer } from "../contracts/authorizer.ts";

export interface SignerServices {
  readonly authorize: Authorizer;
}

/** @throws forbidden() */
export async function authorizeForSigner(
  { authorize }: SignerServices,
  verb: "approve" | "sign",
  { user, resource, name, previous }: AdmissionRequest,
): Promise<void> {
  const signer = (previous as certificatesV1.CertificateSigningRequest).spec?.signerName ?? "";
  const attributes = { kind: "resource", user, verb, group: resource.definition.group, version: "*", resource: "signers" } as const;
  for (const allowed of [signer, `${signer.split("/", 1)[0]}/*`]) {
    const decision = await authorize({ ...attributes, subresource: "", namespace: "", name: allowed });
    if (decision.kind === "allow") return;
  }
  throw forbidden(resource.groupResource, name, `user not permitted to ${verb} requests with signerName ${goQuote(signer)}`);
}

export const isSigningRequestUpdate = ({ operation, resource, subresource }: AdmissionRequest, wanted: "approval" | "status"): boolean =>
  operation === "update" && subresource === wanted && resource.definition.kind === "CertificateSigningRequest";
