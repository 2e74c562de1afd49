/** Connections into what runs: without a node's agent to pass them on to, the answer says what is missing. */
import { badRequest, type KubeObject, notFound, serviceUnavailable } from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import { bytesReply, type Reply } from "../http/exchange.ts";
import { keyOf } from "../registry/served-resource.ts";
import { checkLogOptions } from "./pod-log-options.ts";

interface Spec {
  readonly nodeName?: string;
  readonly containers?: readonly Named[];
  readonly initContainers?: readonly Named[];
  readonly ephemeralContainers?: readonly Named[];
}

interface Named {
  readonly name?: string;
}

/** Subresources that talk to one container. */
const containerConnections = new Set(["log", "exec", "attach"]);

export async function podConnection(ctx: RequestContext): Promise<Reply> {
  const { server, resource, info } = ctx;
  const log = info.subresource === "log";
  if (ctx.query.has("dryRun") && !log) throw badRequest("dryRun is not supported");
  if (log) checkLogOptions(info.name, ctx.query);
  const { entry } = await server.store.get(keyOf(resource, info.namespace, info.name));
  if (entry === undefined) throw notFound(resource.groupResource, info.name);
  if (resource.definition.resource !== "pods") throw serviceUnavailable(`no endpoints available for ${info.resource} "${info.name}"`);
  const spec = ((server.cache.objectOf(entry) as KubeObject).spec ?? {}) as Spec;
  if (containerConnections.has(info.subresource)) checkContainer(info.name, spec, ctx.query.get("container") ?? "");
  const { nodeName = "" } = spec;
  // What has not started has written nothing, and that is no error.
  if (nodeName === "" && log) return bytesReply(204, "text/plain", new Uint8Array(0));
  if (nodeName === "") throw badRequest(`pod ${info.name} does not have a host assigned`);
  const nodes = server.served.find("", "v1", "nodes");
  const node = nodes === undefined ? undefined : (await server.store.get(keyOf(nodes, "", nodeName))).entry;
  if (node === undefined) throw notFound({ group: "", resource: "nodes" }, nodeName);
  throw serviceUnavailable(`node "${nodeName}" has no kubelet that can be reached`);
}

/** @throws badRequest() when the container is not there, or not named though there are several. */
function checkContainer(pod: string, spec: Spec, asked: string): void {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  if (asked !== "") {
    if ([...containers, ...initContainers, ...ephemeralContainers].some(({ name }) => name === asked)) return;
    throw badRequest(`container ${asked} is not valid for pod ${pod}`);
  }
  if (containers.length === 1) return;
  const orInit = initContainers.length === 0 ? "" : ` or one of the init containers: ${listed(initContainers)}`;
  throw badRequest(`a container name must be specified for pod ${pod}, choose one of: ${listed(containers)}${orInit}`);
}

const listed = (containers: readonly Named[]): string => `[${containers.map(({ name }) => name).join(" ")}]`;
