import { type Controller, controller, done, endpoints, services, watching } from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import type { Endpoints } from "../shared/endpoint-slices/subsets.ts";
import { podsBehindServices, type Service } from "../shared/service-pods/membership.ts";
import { TriggerTimes } from "../shared/service-pods/trigger-times.ts";
import { act } from "./act.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";

/**
 * The endpoints-controller writes the Endpoints of each Service with a selector: the older API of what EndpointSlices have.
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#endpoints
 */
export const endpointsController: BuiltInController = {
  name: "endpoints-controller",
  serviceAccount: "endpoint-controller",
  aliases: ["endpoint"],
  make: () => [endpointsOfServices(new TriggerTimes())],
};

const endpointsOfServices = (times: TriggerTimes): Controller =>
  controller<Service>({
    name: "endpoints-controller",
    component: "endpoint-controller",
    for: services,
    watches: [
      podsBehindServices(),
      watching(endpoints, ({ metadata }) => [{ namespace: metadata?.namespace, name: metadata?.name ?? "" }], {
        // Those that are there in the beginning may be of Services that were deleted while this did not run.
        predicate: ({ type, object, ...change }) => type === "deleted" || ("initial" in change && change.initial && !isLock(object)),
      }),
    ],
    concurrency: 5,
    reconcile: async (ref, ctx) => {
      const observed = observe(ref, ctx, times);
      if (observed !== undefined) await act(ctx, plan(observed));
      return done;
    },
  });

/** Leader election once used Endpoints as locks. */
const isLock = ({ metadata }: Endpoints): boolean => metadata?.annotations?.["control-plane.alpha.kubernetes.io/leader"] !== undefined;
