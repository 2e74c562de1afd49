import { endpointSlices, endpoints, isNamespaceTerminating, type ReconcileContext, unlessNotFound } from "@coxswain/client";
import type { EndpointSlice } from "../shared/endpoint-slices/pack.ts";
import type { Endpoints } from "../shared/endpoint-slices/subsets.ts";
import { type MirrorPlan, maxPerSubset } from "./plan.ts";

export async function act(ctx: ReconcileContext<Endpoints>, planned: MirrorPlan): Promise<void> {
  const { object, client, signal } = ctx;
  if (object !== undefined) recordSkipped(object, planned, ctx);
  const resource = client.resource(endpointSlices, object?.metadata?.namespace);
  try {
    const isBeingDeleted = object?.metadata?.deletionTimestamp !== undefined;
    for (const slice of isBeingDeleted ? [] : planned.create) await resource.create(slice, { signal });
  } catch (error) {
    if (isNamespaceTerminating(error)) return;
    throw error;
  }
  for (const slice of planned.update) await resource.update(slice, { signal });
  for (const slice of planned.delete) await remove(slice, ctx);
}

function recordSkipped(object: Endpoints, { invalid, skipped }: MirrorPlan, { events }: ReconcileContext<Endpoints>): void {
  const record = (reason: string, message: string) => events.record(object, { type: "Warning", reason, message }, endpoints);
  if (invalid > 0) record("InvalidIPAddress", `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
  if (skipped <= invalid) return;
  const max = `A max of ${maxPerSubset} addresses can be mirrored to EndpointSlices per Endpoints subset.`;
  record("TooManyAddressesToMirror", `${max} ${skipped} addresses were skipped`);
}

async function remove(
  { metadata: { namespace, name = "", uid } = {} }: EndpointSlice,
  { client, signal }: ReconcileContext<Endpoints>,
): Promise<void> {
  const options = { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) };
  await unlessNotFound(client.resource(endpointSlices, namespace).delete(name, options), endpointSlices, name);
}
