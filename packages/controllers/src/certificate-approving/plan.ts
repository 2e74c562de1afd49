/** Which certificate signing requests are approved automatically: those of kubelets for their own Nodes. */
import { type certificatesV1, kubeletClientSigner, ruleOf } from "@coxswain/api";
import { wireTime } from "@coxswain/machinery";
import { commonNameOf, readCertificateRequest, requestInPem } from "@coxswain/pki";

export type Csr = certificatesV1.CertificateSigningRequest;

/** What the requester must be allowed to create for it: a subresource of `certificatesigningrequests`. */
export interface Permission {
  readonly subresource: "selfnodeclient" | "nodeclient";
  /** Of the approval. */
  readonly message: string;
}

const self: Permission = {
  subresource: "selfnodeclient",
  message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
};
const node: Permission = { subresource: "nodeclient", message: "Auto approving kubelet client certificate after SubjectAccessReview." };

/** In the order in which they are tried; none for what is no kubelet's or is decided already. @throws DerError for what cannot be read */
export function plan({ spec, status }: Csr): readonly Permission[] {
  const isDecided = status?.conditions?.some(({ type }) => type === "Approved" || type === "Denied") ?? false;
  if (isDecided || (status?.certificate ?? "") !== "" || spec?.signerName !== kubeletClientSigner) return [];
  const body = requestInPem(atob(spec.request ?? ""));
  if (body === undefined) return [];
  const request = readCertificateRequest(Uint8Array.from(atob(body.replace(/\s+/g, "")), (char) => char.charCodeAt(0)));
  if (ruleOf(kubeletClientSigner)?.(request, spec.usages ?? []) !== undefined) return [];
  return spec.username === commonNameOf(request.subject) ? [self, node] : [node];
}

export function approved(csr: Csr, message: string, nowMs: number): Csr {
  const condition = { type: "Approved", status: "True", reason: "AutoApproved", message, lastUpdateTime: wireTime(nowMs) };
  return { ...csr, status: { ...csr.status, conditions: [...(csr.status?.conditions ?? []), condition] } };
}
