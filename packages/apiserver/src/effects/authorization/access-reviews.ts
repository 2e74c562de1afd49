/**
 * Questions about permissions, answered by the same authorizer as every request.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */

import { badRequest, type FieldRequirement, invalid, type KubeObject, type LabelRequirement } from "@coxswain/machinery";
import { aggregate } from "../../authorization/rbac/rbac-authorizer.ts";
import {
  type ReadSelector,
  readFieldRequirements,
  readFieldSelector,
  readLabelRequirements,
  readLabelSelector,
} from "../../authorization/read-selector.ts";
import type { UserInfo } from "../../contracts/authenticator.ts";
import type { AuthorizationAttributes } from "../../contracts/authorizer.ts";
import type { Reply } from "../../contracts/http.ts";
import type { RequestContext } from "../../contracts/request-context.ts";
import type { ResourceEffect } from "../../handlers/effect.ts";
import { userRules } from "../../rbac/user-rules.ts";
import type { ObjectReader } from "../../storage/object-reader.ts";
import { decodeReview, type ReviewServices } from "../decode-review.ts";
import type { AccessServices } from "../services.ts";
import { type AccessSpec, type Scope, validateAccessReview } from "./validate-access-review.ts";

type AccessReviewServices = ReviewServices & {
  readonly access: Pick<AccessServices, "authorize" | "ruleSources">;
  readonly reader: ObjectReader;
};

const accessReview = (resource: string, scope: Scope): ResourceEffect<AccessReviewServices> => ({
  on: `authorization.k8s.io/${resource}`,
  verbs: "create",
  create: (services) => (ctx) => review(services, ctx, scope),
});

export const subjectAccessReviews = accessReview("subjectaccessreviews", "subject");
export const selfSubjectAccessReviews = accessReview("selfsubjectaccessreviews", "self");
export const localSubjectAccessReviews = accessReview("localsubjectaccessreviews", "local");

export const selfSubjectRulesReviews: ResourceEffect<AccessReviewServices> = {
  on: "authorization.k8s.io/selfsubjectrulesreviews",
  verbs: "create",
  create: (services) => (ctx) => rulesReview(services, ctx),
};

async function review(services: AccessReviewServices, ctx: RequestContext, scope: Scope): Promise<Reply> {
  const asked = await decodeReview(services, ctx);
  const errors = validateAccessReview(asked, scope);
  // The original's errors leave the Kind out here.
  if (errors.length > 0) throw invalid({ group: ctx.resource.definition.group, kind: "" }, "", errors);
  const spec = (asked.spec ?? {}) as AccessSpec;
  const selectors = selectorsOf(spec);
  const decision = await services.access.authorize(attributesOf(spec, scope === "self" ? ctx.user : subjectOf(spec), selectors));
  const problems = [...(decision.error === undefined ? [] : [decision.error]), ...ignoredSelectors(selectors)];
  const status = {
    allowed: decision.kind === "allow",
    ...(decision.kind === "deny" ? { denied: true } : {}),
    ...(decision.reason === "" ? {} : { reason: decision.reason }),
    ...(problems.length === 0 ? {} : { evaluationError: problems.join("; ") }),
  };
  return services.rest.responses.object(ctx, 201, { ...asked, status }, ctx.resource);
}

const withoutEmpty = (rule: Readonly<Record<string, readonly string[] | undefined>>) =>
  Object.fromEntries(Object.entries(rule).filter(([, values]) => values !== undefined && values.length > 0));

interface Selectors {
  readonly fieldSelector: ReadSelector<FieldRequirement>;
  readonly labelSelector: ReadSelector<LabelRequirement>;
}

function selectorsOf({ resourceAttributes }: AccessSpec): Selectors {
  const { fieldSelector, labelSelector } = resourceAttributes ?? {};
  return {
    fieldSelector: fieldSelector?.rawSelector
      ? readFieldSelector(fieldSelector.rawSelector)
      : readFieldRequirements(fieldSelector?.requirements ?? []),
    labelSelector: labelSelector?.rawSelector
      ? readLabelSelector(labelSelector.rawSelector)
      : readLabelRequirements(labelSelector?.requirements ?? []),
  };
}

/** What cannot be read restricts nothing, which the answer says. */
function ignoredSelectors(selectors: Selectors): readonly string[] {
  return (["fieldSelector", "labelSelector"] as const)
    .filter((name) => selectors[name].broken)
    .map((name) => {
      const partially = selectors[name].requirements === undefined ? "" : "partially ";
      return `spec.resourceAttributes.${name} ${partially}ignored due to parse error`;
    });
}

const subjectOf = ({ user = "", uid = "", groups = [], extra = {} }: AccessSpec): UserInfo => ({ name: user, uid, groups, extra });

function attributesOf(spec: AccessSpec, user: UserInfo, { fieldSelector, labelSelector }: Selectors): AuthorizationAttributes {
  const path = spec.nonResourceAttributes;
  if (path !== undefined) return { kind: "path", user, verb: path.verb ?? "", path: path.path ?? "" };
  const { verb = "", group = "", version = "", resource = "", subresource = "", namespace = "", name = "" } = spec.resourceAttributes ?? {};
  return {
    ...{ kind: "resource", user, verb, group, version: version === "" ? "*" : version, resource, subresource, namespace, name },
    fieldSelector: fieldSelector.requirements,
    labelSelector: labelSelector.requirements,
  };
}

/** What the user may do, as far as authorizers can list it. */
async function rulesReview(services: AccessReviewServices, ctx: RequestContext): Promise<Reply> {
  const asked = await decodeReview(services, ctx);
  const { namespace = "" } = (asked.spec ?? {}) as { namespace?: string };
  if (namespace === "") throw badRequest("no namespace on request");
  const { reader, access } = services;
  const { rules, incomplete, problems } = await userRules(await access.ruleSources(), { reader, user: ctx.user, namespace });
  const status = {
    resourceRules: rules.flatMap(({ verbs, apiGroups, resources = [], resourceNames }) =>
      resources.length === 0 ? [] : [withoutEmpty({ verbs, apiGroups, resources, resourceNames })],
    ),
    nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
      nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
    ),
    incomplete,
    ...(problems.length === 0 ? {} : { evaluationError: aggregate(problems) }),
  };
  // What was asked is not repeated.
  const { kind: shown, apiVersion } = asked;
  return services.rest.responses.object(ctx, 201, { kind: shown, apiVersion, metadata: {}, spec: {}, status } as KubeObject, ctx.resource);
}
