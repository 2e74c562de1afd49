import { type Controller, controller, pods } from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { adoptable } from "../shared/pods/orphans.ts";
import { reconcileReplicated } from "./act.ts";
import { type Replicated, type ReplicatedApi, replicaSetApi } from "./replicated.ts";

/** Keeps as many Pods of one template as a ReplicaSet asks for. */
export const replicaSetController: BuiltInController = {
  name: "replicaset-controller",
  aliases: ["replicaset"],
  make: () => [controllerOfReplicas("replicaset-controller", "replicaset-controller", replicaSetApi)],
};

export const controllerOfReplicas = <T extends Replicated>(name: string, component: string, api: ReplicatedApi<T>): Controller =>
  controller<T>({
    name,
    component,
    for: api.ref,
    owns: [pods],
    watches: [adoptable<T>(pods, api.selectorOf)],
    concurrency: 5,
    reconcile: (_ref, ctx) => reconcileReplicated(api, ctx),
  });
