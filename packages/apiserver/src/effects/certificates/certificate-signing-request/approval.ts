/**
 * `/certificatesigningrequests/NAME/approval`: writes the conditions, and signs what is approved.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#approval-rejection
 */
import type { RequestContext } from "../../../context.ts";
import type { Reply } from "../../../contracts/http.ts";
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { servePart } from "../../../handlers/serve-part.ts";
import type { ClusterServices } from "../../services.ts";
import type { CertificateSigner } from "./certificate-signer.ts";

interface ApprovalServices {
  readonly cluster: Pick<ClusterServices, "signer">;
}

export const certificateSigningRequestApproval: SubresourceEffect<ApprovalServices> = {
  on: "certificates.k8s.io/certificatesigningrequests/approval",
  answers: "object",
  create:
    ({ cluster: { signer } }) =>
    (ctx) =>
      approve(signer, ctx),
};

/** Answers the approval as it was made; the certificate is there when the next request comes. */
async function approve(signer: CertificateSigner, ctx: RequestContext): Promise<Reply> {
  const reply = await servePart(ctx, "limited", ctx.resource.definition.strategy.subresources?.approval);
  if (reply.status < 300) await signer.sign(ctx.info.name);
  return reply;
}
