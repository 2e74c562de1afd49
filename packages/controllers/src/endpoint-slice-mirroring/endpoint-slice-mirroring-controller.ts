import {
  type Change,
  type Controller,
  controller,
  done,
  endpointSlices,
  endpoints,
  type Indexes,
  isNamespaceTerminating,
  type ObjectRef,
  type Outcome,
  type ReconcileContext,
  services,
  unlessNotFound,
  watching,
} from "@coxswain/client";
import type { KubeObject } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { managedByLabel, serviceNameLabel } from "../shared/endpoint-slices/labels.ts";
import type { EndpointSlice } from "../shared/endpoint-slices/pack.ts";
import type { Endpoints } from "../shared/endpoint-slices/subsets.ts";
import { maxPerSubset, mirrorName, planMirror } from "./plan.ts";

/** Mirrors Endpoints of Services without a selector in EndpointSlices: nothing else is read by who routes traffic. */
export const endpointSliceMirroringController: BuiltInController = {
  name: "endpointslice-mirroring-controller",
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
      watching(services, ({ metadata }) => [{ namespace: metadata?.namespace, name: metadata?.name ?? "" }], { predicate: isTurn }),
      watching(endpointSlices, theEndpoints, { indexes }),
    ],
    concurrency: 5,
    reconcile: reconcileEndpoints,
  });

const byEndpoints = "mirrored endpoints";

const theEndpoints = ({ metadata }: EndpointSlice): readonly ObjectRef[] => {
  const { namespace, labels } = metadata ?? {};
  const name = labels?.[serviceNameLabel] ?? "";
  return name === "" || labels?.[managedByLabel] !== mirrorName ? [] : [{ namespace, name }];
};

const keyOf = ({ namespace = "", name }: ObjectRef): string => `${namespace}/${name}`;

const indexes: Indexes<EndpointSlice> = { [byEndpoints]: (slice) => theEndpoints(slice).map(keyOf) };

/** Not those that leaders met in, nor those that say themselves that they have slices. */
const mayMirror = ({ metadata }: KubeObject): boolean =>
  metadata?.labels?.["endpointslice.kubernetes.io/skip-mirror"] !== "true" &&
  metadata?.annotations?.["control-plane.alpha.kubernetes.io/leader"] === undefined;

interface Selecting extends KubeObject {
  spec?: { selector?: Record<string, string> };
}

const hasSelector = ({ spec }: Selecting): boolean => spec?.selector !== undefined && Object.keys(spec.selector).length > 0;

/** A Service without a selector comes or goes, or is with one or without one from now on. */
function isTurn(change: Change<Selecting>): boolean {
  if (change.type === "updated") return hasSelector(change.previous) !== hasSelector(change.object);
  return !hasSelector(change.object);
}

async function reconcileEndpoints(ref: ObjectRef, ctx: ReconcileContext<Endpoints>): Promise<Outcome> {
  const { object, cache } = ctx;
  const slices = cache(endpointSlices).byIndex(byEndpoints, keyOf(ref));
  const service = cache(services).get(ref);
  if (object === undefined || !mayMirror(object) || service === undefined || hasSelector(service)) {
    for (const slice of slices) await remove(slice, ctx);
    return done;
  }
  const plan = planMirror(object, slices);
  tellSkipped(object, plan, ctx);
  const resource = ctx.client.resource(endpointSlices, ref.namespace);
  const { signal } = ctx;
  try {
    const isGoing = object.metadata?.deletionTimestamp !== undefined;
    for (const slice of isGoing ? [] : plan.create) await resource.create(slice, { signal });
  } catch (error) {
    if (isNamespaceTerminating(error)) return done;
    throw error;
  }
  for (const slice of plan.update) await resource.update(slice, { signal });
  for (const slice of plan.delete) await remove(slice, ctx);
  return done;
}

function tellSkipped(
  object: Endpoints,
  { invalid, skipped }: ReturnType<typeof planMirror>,
  { events }: ReconcileContext<Endpoints>,
): void {
  const say = (reason: string, message: string) => events.record(object, { type: "Warning", reason, message }, endpoints);
  if (invalid > 0) say("InvalidIPAddress", `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
  if (skipped <= invalid) return;
  const most = `A max of ${maxPerSubset} addresses can be mirrored to EndpointSlices per Endpoints subset.`;
  say("TooManyAddressesToMirror", `${most} ${skipped} addresses were skipped`);
}

async function remove(
  { metadata: { namespace, name = "", uid } = {} }: EndpointSlice,
  { client, signal }: ReconcileContext<Endpoints>,
): Promise<void> {
  const options = { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) };
  await unlessNotFound(client.resource(endpointSlices, namespace).delete(name, options), endpointSlices, name);
}
