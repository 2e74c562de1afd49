import {
  endpointSlices,
  isNamespaceTerminating,
  type ReconcileContext,
  type ResourceClient,
  services,
  unlessNotFound,
} from "@coxswain/client";
import { messageOf } from "@coxswain/machinery";
import type { EndpointSlice, SlicesByAction } from "../shared/endpoint-slices/pack.ts";
import type { Service } from "../shared/service-pods/membership.ts";
import { withTriggerTime } from "../shared/service-pods/trigger-times.ts";
import { type HintLedger, hint } from "./hinting.ts";
import type { ObservedService, SlicesPlan } from "./plan.ts";

/** Gives the slices of each address type their hints, and writes them. */
export async function act(
  ctx: ReconcileContext<Service>,
  observed: ObservedService,
  planned: SlicesPlan,
  ledger: HintLedger,
): Promise<void> {
  const { events } = ctx;
  const { service, time, shares } = observed;
  try {
    for (const { addressType, slices } of planned.byType) {
      const { slices: hinted, events: hintEvents } = hint(service, { addressType, slices, shares }, ledger);
      await write(hinted, { service, time, ctx });
      for (const event of hintEvents) events.record(service, event, services);
    }
    await write({ create: [], update: [], keep: [], delete: planned.foreign }, { service, time, ctx });
  } catch (error) {
    if (isNamespaceTerminating(error)) return;
    const { namespace = "", name = "" } = service.metadata ?? {};
    const why = messageOf(error);
    const message = `Error updating Endpoint Slices for Service ${namespace}/${name}: ${why}`;
    events.record(service, { type: "Warning", reason: "FailedToUpdateEndpointSlices", message }, services);
    throw error;
  }
}

interface Writing {
  readonly service: Service;
  readonly time: string | undefined;
  readonly ctx: ReconcileContext<Service>;
}

async function write(slices: SlicesByAction, { service, time, ctx: { client, signal } }: Writing): Promise<void> {
  const resource = client.resource(endpointSlices, service.metadata?.namespace);
  const timed = ({ metadata, ...slice }: EndpointSlice): EndpointSlice => ({
    ...slice,
    metadata: { ...metadata, annotations: withTriggerTime(metadata?.annotations, time) },
  });
  // New slices of a Service that is being deleted would be left to the garbage collector.
  const isBeingDeleted = service.metadata?.deletionTimestamp !== undefined;
  for (const slice of isBeingDeleted ? [] : slices.create) await resource.create(timed(slice), { signal });
  for (const slice of slices.update) await resource.update(timed(slice), { signal });
  for (const slice of slices.delete) await remove(resource, slice, signal);
}

async function remove(resource: ResourceClient<EndpointSlice>, { metadata }: EndpointSlice, signal: AbortSignal): Promise<void> {
  const { name = "", uid } = metadata ?? {};
  const deleted = resource.delete(name, { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) });
  await unlessNotFound(deleted, endpointSlices, name);
}
