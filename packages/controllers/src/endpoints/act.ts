/** Writes or deletes the Endpoints of a Service. */
import { endpoints, isNamespaceTerminating, type ReconcileContext, unlessNotFound } from "@coxswain/client";
import { messageOf } from "@coxswain/machinery";
import type { Endpoints } from "../shared/endpoint-slices/subsets.ts";
import type { Service } from "../shared/service-pods/membership.ts";
import type { EndpointsPlan } from "./plan.ts";

export async function act(ctx: ReconcileContext<Service>, planned: EndpointsPlan): Promise<void> {
  switch (planned.do) {
    case "nothing":
      return;
    case "delete":
      return await remove(planned.endpoints, ctx);
    case "create":
    case "update":
      return await write(planned.endpoints, planned.do === "create", ctx);
  }
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
    const why = messageOf(error);
    const event = isNew
      ? { reason: "FailedToCreateEndpoint", message: `Failed to create endpoint for service ${namespace}/${name}: ${why}` }
      : { reason: "FailedToUpdateEndpoint", message: `Failed to update endpoint ${namespace}/${name}: ${why}` };
    events.record(next, { type: "Warning", ...event }, endpoints);
    throw error;
  }
}
