/**
 * `/certificatesigningrequests/NAME/approval`: writes the conditions, and signs what is approved.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#approval-rejection
 */

import type { Reply } from "../../../contracts/http.ts";
import type { RequestContext } from "../../../contracts/request-context.ts";
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import type { ClusterServices, EffectServices } from "../../services.ts";

interface ApprovalServices extends Pick<EffectServices, "rest"> {
  readonly cluster: Pick<ClusterServices, "signer">;
}

export const certificateSigningRequestApproval: SubresourceEffect<ApprovalServices> = {
  on: "certificates.k8s.io/certificatesigningrequests/approval",
  answers: "object",
  create: (services) => (ctx) => approve(services, ctx),
};

/** Answers the approval as it was made; the certificate is there when the next request comes. */
async function approve({ rest, cluster: { signer } }: ApprovalServices, ctx: RequestContext): Promise<Reply> {
  const reply = await rest.servePart(ctx, "limited", ctx.resource.definition.strategy.subresources?.approval);
  if (reply.status < 300) await signer.sign(ctx.info.name);
  return reply;
}
