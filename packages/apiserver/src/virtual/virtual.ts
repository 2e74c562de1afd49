/** Resources that are answered rather than stored: reviews, bindings, component statuses. */
import type { ResourceDefinition } from "@coxswain/api";
import { methodNotAllowed } from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import type { Reply } from "../contracts/http.ts";
import { componentStatuses } from "../effects/core/component-status.ts";
import { bindPod } from "../effects/core/pod/binding.ts";
import { serveResourceMetrics } from "../effects/metrics/resource-metrics.ts";
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectReview,
  selfSubjectRulesReview,
  subjectAccessReview,
  tokenReview,
} from "./reviews.ts";

type Handler = (ctx: RequestContext) => Promise<Reply>;

const handlers: Readonly<Record<string, Handler>> = {
  "/bindings": onlyCreate((ctx) => bindPod(onPods(ctx))),
  "/componentstatuses": componentStatuses,
  "authentication.k8s.io/selfsubjectreviews": onlyCreate(selfSubjectReview),
  "authentication.k8s.io/tokenreviews": onlyCreate(tokenReview),
  "authorization.k8s.io/localsubjectaccessreviews": onlyCreate(localSubjectAccessReview),
  "authorization.k8s.io/selfsubjectaccessreviews": onlyCreate(selfSubjectAccessReview),
  "authorization.k8s.io/selfsubjectrulesreviews": onlyCreate(selfSubjectRulesReview),
  "authorization.k8s.io/subjectaccessreviews": onlyCreate(subjectAccessReview),
  "metrics.k8s.io/nodes": serveResourceMetrics,
  "metrics.k8s.io/pods": serveResourceMetrics,
};

export function virtualHandler({ group, resource, storagePrefix }: ResourceDefinition): Handler | undefined {
  return storagePrefix === undefined ? handlers[`${group}/${resource}`] : undefined;
}

function onlyCreate(handler: Handler): Handler {
  return (ctx) => {
    if (ctx.info.verb !== "create" || ctx.info.name !== "") throw methodNotAllowed();
    return handler(ctx);
  };
}

function onPods(ctx: RequestContext): RequestContext {
  const resource = ctx.server.served.find("", "v1", "pods");
  return resource === undefined ? ctx : { ...ctx, resource };
}
