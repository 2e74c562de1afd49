import { type Controller, controller, done, type Outcome, pods } from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { adoptable } from "../shared/pods/orphans.ts";
import { act } from "./act.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { type Replicated, type ReplicatedApi, replicaSetApi } from "./replicated.ts";

/**
 * The replicaset-controller keeps as many Pods of one template as a ReplicaSet asks for.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/
 */
export const replicaSetController: BuiltInController = {
  name: "replicaset-controller",
  serviceAccount: "replicaset-controller",
  aliases: ["replicaset"],
  make: () => [controllerOfReplicas("replicaset-controller", "replicaset-controller", replicaSetApi)],
};

/** The same controller for two kinds: `component` is the source of its Events. */
export const controllerOfReplicas = <T extends Replicated>(name: string, component: string, api: ReplicatedApi<T>): Controller =>
  controller<T>({
    name,
    component,
    for: api.ref,
    owns: [pods],
    watches: [adoptable<T>(pods, api.selectorOf)],
    concurrency: 5,
    reconcile: async (_ref, ctx): Promise<Outcome> => {
      const { object } = ctx;
      if (object === undefined) return done;
      const observed = await observe(api, ctx, object);
      return await act(ctx, { api, object }, observed, plan(observed));
    },
  });
