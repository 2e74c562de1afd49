/**
 * Questions about identities and permissions, answered by the same authenticator and authorizer as every request.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
import { badRequest, field, invalid, type KubeObject } from "@coxswain/machinery";
import type { UserInfo } from "../authn/authenticator.ts";
import type { AuthorizationAttributes } from "../authz/authorizer.ts";
import type { RequestContext } from "../context.ts";
import { decodeBody } from "../decode-body.ts";
import type { Reply } from "../http/exchange.ts";
import { parseWriteOptions } from "../options.ts";
import { wholeSeconds } from "../registry/metadata.ts";
import { replyObject } from "../respond.ts";

interface AccessSpec {
  readonly user?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly resourceAttributes?: Readonly<
    Record<"namespace" | "verb" | "group" | "version" | "resource" | "subresource" | "name", string | undefined>
  >;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
}

export async function selfSubjectReview(ctx: RequestContext): Promise<Reply> {
  const review = await decoded(ctx);
  const metadata = { ...review.metadata, creationTimestamp: wholeSeconds(ctx.server.clock.now()) };
  return replyObject(ctx, 201, { ...review, metadata, status: { userInfo: shownUser(ctx.user) } }, ctx.resource);
}

export async function tokenReview(ctx: RequestContext): Promise<Reply> {
  const review = await decoded(ctx);
  const { token = "", audiences = [] } = (review.spec ?? {}) as { token?: string; audiences?: readonly string[] };
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const wanted = audiences.length === 0 ? ctx.server.tokens.apiAudiences : audiences;
  const answer = await ctx.server.authenticate({ headers: { authorization: `Bearer ${token}` }, audiences: wanted });
  const status =
    answer.kind === "authenticated"
      ? { authenticated: true, user: shownUser(answer.user), audiences: answer.audiences ?? wanted }
      : { user: {}, ...(answer.kind === "rejected" ? { error: answer.reason } : {}) };
  return replyObject(ctx, 201, { ...review, status }, ctx.resource);
}

export const subjectAccessReview = (ctx: RequestContext): Promise<Reply> => review(ctx, subjectOf);

export const selfSubjectAccessReview = (ctx: RequestContext): Promise<Reply> => review(ctx, () => ctx.user);

export async function localSubjectAccessReview(ctx: RequestContext): Promise<Reply> {
  return review(ctx, (spec) => {
    const namespace = spec.resourceAttributes?.namespace ?? "";
    if (namespace !== ctx.info.namespace) {
      throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${ctx.info.namespace}`);
    }
    return subjectOf(spec);
  });
}

async function review(ctx: RequestContext, subject: (spec: AccessSpec) => UserInfo): Promise<Reply> {
  const asked = await decoded(ctx);
  const spec = (asked.spec ?? {}) as AccessSpec;
  check(ctx, spec);
  const decision = await ctx.server.authorize(attributesOf(spec, subject(spec)));
  const status = {
    allowed: decision.kind === "allow",
    ...(decision.kind === "deny" ? { denied: true } : {}),
    ...(decision.reason === "" ? {} : { reason: decision.reason }),
  };
  return replyObject(ctx, 201, { ...asked, status }, ctx.resource);
}

function check(ctx: RequestContext, spec: AccessSpec): void {
  const errors = [];
  if (spec.resourceAttributes === undefined && spec.nonResourceAttributes === undefined) {
    errors.push(
      field.invalid("spec.resourceAttributes", null, "exactly one of nonResourceAttributes or resourceAttributes must be specified"),
    );
  }
  if (spec.resourceAttributes !== undefined && spec.nonResourceAttributes !== undefined) {
    errors.push(
      field.invalid("spec.nonResourceAttributes", spec.nonResourceAttributes, "cannot be specified in combination with resourceAttributes"),
    );
  }
  if (errors.length > 0) throw invalid(ctx.resource.definition, "", errors);
}

const subjectOf = ({ user = "", uid = "", groups = [], extra = {} }: AccessSpec): UserInfo => ({ name: user, uid, groups, extra });

function attributesOf(spec: AccessSpec, user: UserInfo): AuthorizationAttributes {
  const path = spec.nonResourceAttributes;
  if (path !== undefined) return { kind: "path", user, verb: path.verb ?? "", path: path.path ?? "" };
  const { verb = "", group = "", version = "", resource = "", subresource = "", namespace = "", name = "" } = spec.resourceAttributes ?? {};
  return { kind: "resource", user, verb, group, version, resource, subresource, namespace, name };
}

/** What the user may do, as far as it can be listed: with one role for all, everything or nothing. */
export async function selfSubjectRulesReview(ctx: RequestContext): Promise<Reply> {
  const asked = await decoded(ctx);
  const { namespace = "" } = (asked.spec ?? {}) as { namespace?: string };
  if (namespace === "") throw badRequest("no namespace on request");
  const any = { resourceAttributes: { namespace, verb: "*", group: "*", version: "*", resource: "*", subresource: "", name: "" } };
  const { kind } = await ctx.server.authorize(attributesOf(any, ctx.user));
  const all = kind === "allow";
  const status = {
    resourceRules: all ? [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }] : [],
    nonResourceRules: all ? [{ verbs: ["*"], nonResourceURLs: ["*"] }] : [],
    incomplete: false,
  };
  return replyObject(ctx, 201, { ...asked, status }, ctx.resource);
}

async function decoded(ctx: RequestContext): Promise<KubeObject> {
  const options = parseWriteOptions(ctx.query, "CreateOptions");
  return decodeBody(ctx, ctx.resource, options.fieldValidation);
}

const shownUser = ({ name, uid, groups, extra }: UserInfo): object => ({
  username: name,
  ...(uid === "" ? {} : { uid }),
  groups,
  ...(Object.keys(extra).length === 0 ? {} : { extra }),
});
