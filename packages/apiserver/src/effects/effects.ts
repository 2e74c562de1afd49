/** All effects, by key: what resources and subresources do beyond the strategies of their kinds. */
import type { ResourceDefinition } from "@coxswain/api";
import { methodNotAllowed, unknownPath } from "@coxswain/machinery";
import type { RequestHandler } from "../contracts/request-context.ts";
import type { Effects, ResourceEffect, ServedSubresource, SubresourceEffect } from "../handlers/effect.ts";
import { selfSubjectReviews, tokenReviews } from "./authentication/reviews.ts";
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from "./authorization/access-reviews.ts";
import { scale } from "./autoscaling/scale.ts";
import { certificateSigningRequestApproval } from "./certificates/certificate-signing-request/approval.ts";
import { componentStatuses } from "./core/component-status.ts";
import { namespaceFinalize } from "./core/namespace/finalize.ts";
import { nodeProxy } from "./core/node/proxy.ts";
import { podAttach } from "./core/pod/attach.ts";
import { bindings, podBinding } from "./core/pod/binding.ts";
import { podEviction } from "./core/pod/eviction.ts";
import { podExec } from "./core/pod/exec.ts";
import { podLog } from "./core/pod/log.ts";
import { podPortForward } from "./core/pod/port-forward.ts";
import { podProxy } from "./core/pod/proxy.ts";
import { serviceProxy } from "./core/service/proxy.ts";
import { serviceAccountToken } from "./core/service-account/token-request.ts";
import { nodeMetrics, podMetrics } from "./metrics/resource-metrics.ts";
import type { EffectServices } from "./services.ts";
import { status } from "./status.ts";

const subresources: readonly SubresourceEffect<EffectServices>[] = [
  status,
  scale,
  namespaceFinalize,
  nodeProxy,
  podAttach,
  podBinding,
  podEviction,
  podExec,
  podLog,
  podPortForward,
  podProxy,
  serviceProxy,
  serviceAccountToken,
  certificateSigningRequestApproval,
];

/** Of these resources nothing is stored. */
const resources: readonly ResourceEffect<EffectServices>[] = [
  bindings,
  componentStatuses,
  selfSubjectReviews,
  tokenReviews,
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
  nodeMetrics,
  podMetrics,
];

export function createEffects(services: EffectServices): Effects {
  const byResource = new Map(resources.map((effect) => [effect.on, limitedTo(effect.verbs, effect.create(services))]));
  /** By the name of the subresource alone, and by the whole key. */
  const ofAll = new Map<string, ServedSubresource>();
  const ofOne = new Map<string, ServedSubresource>();
  for (const { on, answers, create } of subresources) {
    const served: ServedSubresource = { answers, handle: create(services) };
    if (on.startsWith("*/")) ofAll.set(on.slice("*/".length), served);
    else ofOne.set(on, served);
  }
  /** Of a subresource that has a strategy and no effect: writes a part of the object. */
  const part: ServedSubresource = {
    answers: "object",
    handle: (ctx) => services.rest.servePart(ctx, "limited", ctx.resource.definition.strategy.subresources?.[ctx.info.subresource]),
  };
  return {
    resource: ({ group, resource, storagePrefix }: ResourceDefinition) =>
      storagePrefix === undefined ? byResource.get(`${group}/${resource}`) : undefined,
    subresource: ({ group, resource, strategy, subresources: known }: ResourceDefinition, name: string) =>
      ofAll.get(name) ??
      ofOne.get(`${group}/${resource}/${name}`) ??
      (known.has(name) && strategy.subresources?.[name] !== undefined ? part : undefined),
  };
}

/** @throws unknownPath() for a name, which nothing has there, methodNotAllowed() */
function limitedTo(verbs: ResourceEffect["verbs"], handle: RequestHandler): RequestHandler {
  if (verbs === "all") return handle;
  return (ctx) => {
    if (ctx.info.name !== "") throw unknownPath();
    if (ctx.info.verb !== "create") throw methodNotAllowed();
    return handle(ctx);
  };
}
