/**
 * `/certificatesigningrequests/NAME/approval`: writes the conditions, and signs what is approved.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#approval-rejection
 */
import { type certificatesV1, prepareApproval, validateApproval } from "@coxswain/api";
import type { RequestContext } from "../../../context.ts";
import type { Reply } from "../../../contracts/http.ts";
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { servePart } from "../../../handlers/serve-part.ts";
import type { SubresourceStrategy } from "../../../registry/subresource-strategy.ts";
import { signNamed } from "./sign-approved.ts";

type Csr = certificatesV1.CertificateSigningRequest;

const strategy: SubresourceStrategy = {
  /** Metadata may be written here too. */
  prepareForUpdate(next, current, now) {
    prepareApproval(next as Csr, current as Csr, now);
    return next;
  },
  validateUpdate: (next, current) => validateApproval(next as Csr, current as Csr),
};

export const certificateSigningRequestApproval: SubresourceEffect = {
  on: "certificates.k8s.io/certificatesigningrequests/approval",
  answers: "object",
  create: () => approve,
};

/** Answers the approval as it was made; the certificate is there when the next request comes. */
async function approve(ctx: RequestContext): Promise<Reply> {
  const reply = await servePart(ctx, "limited", strategy);
  if (reply.status < 300) await signNamed(ctx.server, ctx.resource, ctx.info.name);
  return reply;
}
