import type { PriorityLevelConfiguration } from "@coxswain/types/flowcontrol-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { priorityLevelConfigurationColumns } from "./columns.ts";
import { priorityLevelConfigurationSubresources } from "./subresources.ts";
import { priorityLevelConfigurationValidation } from "./validation.ts";

/** @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/ */
export const priorityLevelConfiguration = defineKind<PriorityLevelConfiguration>({
  type: "io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration",
  metadataPasses: ["whole"],
  defaults({ spec }) {
    const { exempt, limited } = spec ?? {};
    if (exempt !== undefined) {
      exempt.nominalConcurrencyShares ??= 0;
      exempt.lendablePercent ??= 0;
    }
    if (limited === undefined) return;
    limited.nominalConcurrencyShares ??= 30;
    limited.lendablePercent ??= 0;
    const queuing = limited.limitResponse?.queuing;
    if (queuing === undefined) return;
    queuing.handSize ||= 8;
    queuing.queues ||= 64;
    queuing.queueLengthLimit ||= 50;
  },
  prepareForCreate(obj) {
    obj.status = {};
  },
  ...priorityLevelConfigurationValidation,
  subresources: priorityLevelConfigurationSubresources,
  columns: priorityLevelConfigurationColumns,
});
