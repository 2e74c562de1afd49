import {
  type api,
  type Controller,
  controller,
  done,
  endpoints,
  isNamespaceTerminating,
  type ObjectRef,
  type Outcome,
  pods,
  type ReconcileContext,
  services,
  unlessNotFound,
  watching,
} from "@coxswain/client";
import type { BuiltInController } from "../built-in-controller.ts";
import { hasEndpointsOfPods, podsBehindServices, type Service, selects } from "../service-pods/membership.ts";
import { TriggerTimes } from "../service-pods/trigger-times.ts";
import { type Endpoints, nextEndpoints } from "./next-endpoints.ts";

/** Tells in Endpoints what EndpointSlices tell better, for whoever still reads those. */
export const endpointsController: BuiltInController = {
  name: "endpoints-controller",
  aliases: ["endpoint"],
  make: () => [tellingEndpoints(new TriggerTimes())],
};

const tellingEndpoints = (times: TriggerTimes): Controller =>
  controller<Service>({
    name: "endpoints-controller",
    component: "endpoint-controller",
    for: services,
    watches: [
      podsBehindServices(),
      watching(endpoints, ({ metadata }) => [{ namespace: metadata?.namespace, name: metadata?.name ?? "" }], {
        // Those that are there in the beginning may be of Services that went while nobody looked.
        predicate: ({ type, object, ...change }) => type === "deleted" || ("initial" in change && change.initial && !isLock(object)),
      }),
    ],
    concurrency: 5,
    reconcile: (ref, ctx) => reconcileService(ref, ctx, times),
  });

/** Leaders once met in Endpoints. */
const isLock = ({ metadata }: api.coreV1.Endpoints): boolean =>
  metadata?.annotations?.["control-plane.alpha.kubernetes.io/leader"] !== undefined;

async function reconcileService(ref: ObjectRef, ctx: ReconcileContext<Service>, times: TriggerTimes): Promise<Outcome> {
  const { object: service, cache } = ctx;
  const current = cache(endpoints).get(ref);
  if (service === undefined) {
    times.forget(ref);
    if (current !== undefined) await remove(current, ctx);
    return done;
  }
  if (!hasEndpointsOfPods(service)) return done;
  const behind = cache(pods)
    .list({ namespace: ref.namespace })
    .filter(({ metadata }) => selects(service, metadata?.labels));
  const next = nextEndpoints({ service, pods: behind, time: times.next(service, behind) }, current);
  if (next !== undefined) await write(next, current === undefined, ctx);
  return done;
}

async function remove(
  { metadata: { namespace, name = "", uid } = {} }: Endpoints,
  { client, signal }: ReconcileContext<Service>,
): Promise<void> {
  const options = { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) };
  await unlessNotFound(client.resource(endpoints, namespace).delete(name, options), endpoints, name);
}

async function write(next: Endpoints, isNew: boolean, { client, events, signal }: ReconcileContext<Service>): Promise<void> {
  const { namespace, name } = next.metadata ?? {};
  const resource = client.resource(endpoints, namespace);
  try {
    await (isNew ? resource.create(next, { signal }) : resource.update(next, { signal }));
  } catch (error) {
    if (isNew && isNamespaceTerminating(error)) return;
    const why = error instanceof Error ? error.message : String(error);
    const event = isNew
      ? { reason: "FailedToCreateEndpoint", message: `Failed to create endpoint for service ${namespace}/${name}: ${why}` }
      : { reason: "FailedToUpdateEndpoint", message: `Failed to update endpoint ${namespace}/${name}: ${why}` };
    events.record(next, { type: "Warning", ...event }, endpoints);
    throw error;
  }
}
