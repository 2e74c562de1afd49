/**
 * Questions about identities and permissions, answered by the same authenticator and authorizer as every request.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
import { badRequest, invalid, isBadRequest, type KubeObject, parseFieldSelector, parseLabelSelector } from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import type { UserInfo } from "../contracts/authenticator.ts";
import type { AuthorizationAttributes } from "../contracts/authorizer.ts";
import type { Reply } from "../contracts/http.ts";
import { type AccessSpec, type Scope, validateAccessReview } from "../effects/authorization/validate-access-review.ts";
import { decodeBody } from "../negotiation/decode-body.ts";
import { managedAfterCreate, noteManaged } from "../registry/field-management.ts";
import { settleNamespace, wholeSeconds } from "../registry/metadata.ts";
import { parseWriteOptions } from "../request/options.ts";
import { replyObject } from "../responsewriters/write-object.ts";

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

export const subjectAccessReview = (ctx: RequestContext): Promise<Reply> => review(ctx, "subject");

export const selfSubjectAccessReview = (ctx: RequestContext): Promise<Reply> => review(ctx, "self");

export const localSubjectAccessReview = (ctx: RequestContext): Promise<Reply> => review(ctx, "local");

async function review(ctx: RequestContext, scope: Scope): Promise<Reply> {
  const asked = await decoded(ctx);
  const errors = validateAccessReview(asked, scope);
  // The original's errors leave the Kind out here.
  if (errors.length > 0) throw invalid({ group: ctx.resource.definition.group, kind: "" }, "", errors);
  const spec = (asked.spec ?? {}) as AccessSpec;
  const decision = await ctx.server.authorize(attributesOf(spec, scope === "self" ? ctx.user : subjectOf(spec)));
  const ignored = ignoredSelectors(spec);
  const status = {
    allowed: decision.kind === "allow",
    ...(decision.kind === "deny" ? { denied: true } : {}),
    ...(decision.reason === "" ? {} : { reason: decision.reason }),
    ...(ignored === "" ? {} : { evaluationError: ignored }),
  };
  return replyObject(ctx, 201, { ...asked, status }, ctx.resource);
}

/** Selectors that cannot be read restrict nothing, which the answer says. */
function ignoredSelectors({ resourceAttributes }: AccessSpec): string {
  const { fieldSelector, labelSelector } = resourceAttributes ?? {};
  const broken = [
    ...(isBroken(parseFieldSelector, fieldSelector?.rawSelector) ? ["fieldSelector"] : []),
    ...(isBroken(parseLabelSelector, labelSelector?.rawSelector) ? ["labelSelector"] : []),
  ];
  return broken.map((name) => `spec.resourceAttributes.${name} ignored due to parse error`).join("; ");
}

function isBroken(parse: (text: string) => unknown, text: string | undefined): boolean {
  if (!text) return false;
  try {
    parse(text);
    return false;
  } catch (error) {
    if (isBadRequest(error)) return true;
    throw error;
  }
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
  // What was asked is not repeated.
  const { kind: shown, apiVersion } = asked;
  return replyObject(ctx, 201, { kind: shown, apiVersion, metadata: {}, spec: {}, status } as KubeObject, ctx.resource);
}

async function decoded(ctx: RequestContext): Promise<KubeObject> {
  const options = parseWriteOptions(ctx.query, "CreateOptions");
  const object = await decodeBody(ctx, ctx.resource, options.fieldValidation);
  settleNamespace(object, ctx.resource, ctx.info.namespace);
  noteManaged(object, await managedAfterCreate(ctx, object));
  return object;
}

const shownUser = ({ name, uid, groups, extra }: UserInfo): object => ({
  username: name,
  ...(uid === "" ? {} : { uid }),
  groups,
  ...(Object.keys(extra).length === 0 ? {} : { extra }),
});
