import type { APIService } from "@coxswain/types/apiregistration-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { apiServiceColumns } from "./columns.ts";
import { apiServiceSubresources } from "./subresources.ts";
import { apiServiceValidation } from "./validation.ts";

/** The condition of one that no Service stands behind. */
export const localApiService = {
  type: "Available",
  status: "True",
  reason: "Local",
  message: "Local APIServices are always available",
};

/** @see https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/ */
export const apiService = defineKind<APIService>({
  type: "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService",
  metadataPasses: ["changes", "whole"],
  finalizers: "any",
  name: "pathSegment",
  allowUnconditionalUpdate: false,
  generation: "never",
  defaults({ spec }) {
    if (spec?.service !== undefined) spec.service.port ??= 443;
  },
  /** What the server serves itself is available at once. */
  prepareForCreate(obj) {
    const lastTransitionTime = obj.metadata?.creationTimestamp;
    const local = { ...localApiService, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) };
    obj.status = obj.spec?.service === undefined ? { conditions: [local] } : {};
  },
  /** Whoever writes whether it is available writes nothing else. */
  subresources: apiServiceSubresources,
  ...apiServiceValidation,
  columns: apiServiceColumns,
});
