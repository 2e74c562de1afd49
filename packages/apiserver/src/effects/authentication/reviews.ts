/**
 * Questions about identities, answered by the same authenticator as every request.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#self-subject-review
 */
import { badRequest, type Clock } from "@coxswain/machinery";
import type { Authenticator, UserInfo } from "../../contracts/authenticator.ts";
import type { ResourceEffect } from "../../handlers/effect.ts";
import { wholeSeconds } from "../../registry/metadata.ts";
import { replyObject } from "../../responsewriters/write-object.ts";
import type { ServiceAccountTokens } from "../../service-accounts/tokens.ts";
import { decodeReview } from "../decode-review.ts";

export const selfSubjectReviews: ResourceEffect<{ readonly clock: Clock }> = {
  on: "authentication.k8s.io/selfsubjectreviews",
  verbs: "create",
  create:
    ({ clock }) =>
    async (ctx) => {
      const review = await decodeReview(ctx);
      const metadata = { ...review.metadata, creationTimestamp: wholeSeconds(clock.now()) };
      return replyObject(ctx, 201, { ...review, metadata, status: { userInfo: shownUser(ctx.user) } }, ctx.resource);
    },
};

interface TokenReviewServices {
  readonly access: { readonly authenticate: Authenticator; readonly tokens: ServiceAccountTokens };
}

export const tokenReviews: ResourceEffect<TokenReviewServices> = {
  on: "authentication.k8s.io/tokenreviews",
  verbs: "create",
  create:
    ({ access: { authenticate, tokens } }) =>
    async (ctx) => {
      const review = await decodeReview(ctx);
      const { token = "", audiences = [] } = (review.spec ?? {}) as { token?: string; audiences?: readonly string[] };
      if (token === "") throw badRequest("token is required for TokenReview in authentication");
      const wanted = audiences.length === 0 ? tokens.apiAudiences : audiences;
      const answer = await authenticate({ headers: { authorization: `Bearer ${token}` }, audiences: wanted });
      const status =
        answer.kind === "authenticated"
          ? { authenticated: true, user: shownUser(answer.user), audiences: answer.audiences ?? wanted }
          : { user: {}, ...(answer.kind === "rejected" ? { error: answer.reason } : {}) };
      return replyObject(ctx, 201, { ...review, status }, ctx.resource);
    },
};

const shownUser = ({ name, uid, groups, extra }: UserInfo): object => ({
  username: name,
  ...(uid === "" ? {} : { uid }),
  groups,
  ...(Object.keys(extra).length === 0 ? {} : { extra }),
});
