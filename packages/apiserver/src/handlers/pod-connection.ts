/** Connections into what runs: without a node's agent to pass them on to, the answer says what is missing. */
import { badRequest, type KubeObject, notFound, serviceUnavailable } from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import type { Reply } from "../http/exchange.ts";
import { keyOf } from "../registry/served-resource.ts";

export async function podConnection(ctx: RequestContext): Promise<Reply> {
  const { server, resource, info } = ctx;
  const { entry } = await server.store.get(keyOf(resource, info.namespace, info.name));
  if (entry === undefined) throw notFound(resource.groupResource, info.name);
  if (resource.definition.resource !== "pods") throw serviceUnavailable(`no endpoints available for ${info.resource} "${info.name}"`);
  const { nodeName = "" } = ((server.cache.objectOf(entry) as KubeObject).spec ?? {}) as { nodeName?: string };
  if (nodeName === "") throw badRequest(`pod ${info.name} does not have a host assigned`);
  const nodes = server.served.find("", "v1", "nodes");
  const node = nodes === undefined ? undefined : (await server.store.get(keyOf(nodes, "", nodeName))).entry;
  if (node === undefined) throw notFound({ group: "", resource: "nodes" }, nodeName);
  throw serviceUnavailable(`node "${nodeName}" has no kubelet that can be reached`);
}
