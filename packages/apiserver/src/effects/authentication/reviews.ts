/**
 * Questions about identities, answered by the same authenticator as every request.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#self-subject-review
 */

import { badRequest, type KubeObject } from "@coxswain/machinery";
import type { UserInfo } from "../../contracts/authenticator.ts";
import type { ResourceEffect } from "../../handlers/effect.ts";
import { wholeSeconds } from "../../registry/metadata.ts";
import { decodeReview, type ReviewServices } from "../decode-review.ts";
import type { AccessServices, EffectServices } from "../services.ts";

export const selfSubjectReviews: ResourceEffect<ReviewServices & Pick<EffectServices, "clock">> = {
  on: "authentication.k8s.io/selfsubjectreviews",
  verbs: "create",
  create: (services) => async (ctx) => {
    const { kind, apiVersion } = await decodeReview(services, ctx);
    // What was asked is not repeated.
    const metadata = { creationTimestamp: wholeSeconds(services.clock.now()) };
    return services.rest.responses.object(
      ctx,
      201,
      { kind, apiVersion, metadata, status: { userInfo: shownUser(ctx.user) } } as KubeObject,
      ctx.resource,
    );
  },
};

type TokenReviewServices = ReviewServices & { readonly access: Pick<AccessServices, "authenticate" | "tokens"> };

export const tokenReviews: ResourceEffect<TokenReviewServices> = {
  on: "authentication.k8s.io/tokenreviews",
  verbs: "create",
  create: (services) => async (ctx) => {
    const review = await decodeReview(services, ctx);
    const { authenticate, tokens } = services.access;
    const { token = "", audiences = [] } = (review.spec ?? {}) as { token?: string; audiences?: readonly string[] };
    if (token === "") throw badRequest("token is required for TokenReview in authentication");
    const wanted = audiences.length === 0 ? tokens.apiAudiences : audiences;
    const answer = await authenticate({ headers: { authorization: `Bearer ${token}` }, audiences: wanted });
    const status =
      answer.kind === "authenticated"
        ? { authenticated: true, user: shownUser(answer.user), audiences: answer.audiences ?? wanted }
        : { user: {}, ...(answer.kind === "rejected" ? { error: answer.reason } : {}) };
    return services.rest.responses.object(ctx, 201, { ...review, status }, ctx.resource);
  },
};

const shownUser = ({ name, uid, groups, extra }: UserInfo): object => ({
  username: name,
  ...(uid === "" ? {} : { uid }),
  groups,
  ...(Object.keys(extra).length === 0 ? {} : { extra }),
});
