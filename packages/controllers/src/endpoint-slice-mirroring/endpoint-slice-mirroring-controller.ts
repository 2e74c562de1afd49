import { type Change, type Controller, controller, done, endpointSlices, endpoints, services, watching } from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import type { Endpoints } from "../shared/endpoint-slices/subsets.ts";
import { act } from "./act.ts";
import { hasSelector, mayMirror, observe, type Selecting, sliceIndexes, theEndpoints } from "./observe.ts";
import { plan } from "./plan.ts";

/**
 * The endpointslice-mirroring-controller mirrors Endpoints of Services without a selector to EndpointSlices: proxies read nothing else.
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#endpointslice-mirroring
 */
export const endpointSliceMirroringController: BuiltInController = {
  name: "endpointslice-mirroring-controller",
  serviceAccount: "endpointslicemirroring-controller",
  aliases: ["endpointslicemirroring"],
  make: () => [mirroring()],
};

const mirroring = (): Controller =>
  controller<Endpoints>({
    name: "endpointslice-mirroring-controller",
    component: "endpoint-slice-mirroring-controller",
    for: endpoints,
    predicate: (change) => mayMirror(change.object) || (change.type === "updated" && mayMirror(change.previous)),
    watches: [
      watching(services, ({ metadata }) => [{ namespace: metadata?.namespace, name: metadata?.name ?? "" }], {
        predicate: changesMirroring,
      }),
      watching(endpointSlices, theEndpoints, { indexes: sliceIndexes }),
    ],
    concurrency: 5,
    reconcile: async (ref, ctx) => {
      await act(ctx, plan(observe(ref, ctx)));
      return done;
    },
  });

/** A Service without a selector comes or goes, or is with one or without one from now on. */
function changesMirroring(change: Change<Selecting>): boolean {
  if (change.type === "updated") return hasSelector(change.previous) !== hasSelector(change.object);
  return !hasSelector(change.object);
}
