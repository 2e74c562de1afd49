import type { networkingV1 } from "@coxswain/api";
import {
  controller,
  done,
  ipAddresses,
  type ObjectRef,
  type Outcome,
  type ReconcileContext,
  requeue,
  serviceCIDRs,
  unlessNotFound,
  watching,
} from "@coxswain/client";
import { isHostIn, parseIp } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { finalizer, type ObservedServiceCidr, overlap, plan, rangesOf, type ServiceCIDR, type ServiceCidrPlan } from "./plan.ts";

type IPAddress = networkingV1.IPAddress;

/**
 * The service-cidr-controller says of ServiceCIDRs that they are ready, and keeps those that are deleted until no address of a Service
 * depends on them.
 * @see https://kubernetes.io/docs/tasks/network/extend-service-ip-ranges/
 */
export const serviceCidrController: BuiltInController = {
  name: "service-cidr-controller",
  serviceAccount: "service-cidrs-controller",
  make: () => [
    controller<ServiceCIDR>({
      name: "service-cidr-controller",
      component: "service-cidr-controller",
      for: serviceCIDRs,
      watches: [
        // A new one may have what keeps another.
        watching(serviceCIDRs, (object, change, { main }) =>
          change.type === "added" ? refsOf(main().list(), (other) => overlaps(object, other)) : [],
        ),
        watching(ipAddresses, (address, _change, { main }) => refsOf(main().list(), (one) => contains(one, address)), {
          predicate: (change) => change.type !== "updated" && isOfService(change.object),
        }),
      ],
      concurrency: 5,
      reconcile: async (_ref, ctx): Promise<Outcome> => {
        const observed = observe(ctx);
        return observed === undefined ? done : await act(ctx, observed.object, plan(observed));
      },
    }),
  ],
};

const refsOf = (all: readonly ServiceCIDR[], isMeant: (one: ServiceCIDR) => boolean): readonly ObjectRef[] =>
  all.filter(isMeant).map(({ metadata }) => ({ name: metadata?.name ?? "" }));

const overlaps = (one: ServiceCIDR, other: ServiceCIDR): boolean =>
  rangesOf(one).some((range) => rangesOf(other).some((another) => overlap(range, another)));

function contains(one: ServiceCIDR, { metadata }: IPAddress): boolean {
  const address = parseIp(metadata?.name ?? "");
  return address !== undefined && rangesOf(one).some((range) => isHostIn(range, address));
}

const isOfService = ({ metadata }: IPAddress): boolean => metadata?.labels?.["ipaddress.kubernetes.io/managed-by"] === "ipallocator.k8s.io";

function observe({ object, cache, client }: ReconcileContext<ServiceCIDR>): ObservedServiceCidr | undefined {
  if (object === undefined) return undefined;
  const addresses = cache(ipAddresses).list().filter(isOfService);
  return {
    object,
    all: cache(serviceCIDRs).list(),
    addresses: addresses.map(({ metadata }) => metadata?.name ?? ""),
    nowMs: client.clock.now(),
  };
}

async function act(
  { client, signal }: ReconcileContext<ServiceCIDR>,
  { metadata }: ServiceCIDR,
  planned: ServiceCidrPlan,
): Promise<Outcome> {
  const { name = "", uid } = metadata ?? {};
  const resource = client.resource(serviceCIDRs);
  const patch = (finalizers: object): Promise<unknown> =>
    unlessNotFound(
      resource.patch(name, { type: "strategic", patch: { metadata: { uid, ...finalizers } } }, { signal }),
      serviceCIDRs,
      name,
    );
  switch (planned.do) {
    case "nothing":
      return done;
    case "wait":
      return requeue(planned.afterMs);
    case "release":
      await patch({ "$deleteFromPrimitiveList/finalizers": [finalizer] });
      return done;
    case "keep": {
      if (planned.addsFinalizer) await patch({ finalizers: [finalizer] });
      if (planned.condition === undefined) return done;
      const applied = { metadata: { name, ...(uid === undefined ? {} : { uid }) }, status: { conditions: [planned.condition] } };
      const options = { fieldManager: "service-cidr-controller", force: true, subresource: "status", signal } as const;
      await unlessNotFound(resource.apply(applied, options), serviceCIDRs, name);
      return done;
    }
  }
}
