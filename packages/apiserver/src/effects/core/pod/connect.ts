/** Logs of a Pod, commands in it and connections to its ports: passed on to the kubelet of its node. */
import type { coreV1 } from "@coxswain/api";
import { badRequest, type KubeObject, notFound, serviceUnavailable } from "@coxswain/machinery";
import { notAuthorized } from "../../../authorization/forbidden.ts";
import type { RequestContext } from "../../../context.ts";
import type { Reply } from "../../../contracts/http.ts";
import { bytesReply } from "../../../http/exchange.ts";
import { kubeletTarget } from "../../../kubelets/kubelet-target.ts";
import { parseBool } from "../../../request/options.ts";
import { keyOf } from "../../../storage/served-resource.ts";
import { proxy } from "../proxy.ts";
import { checkLogOptions } from "./log-options.ts";

interface Spec {
  readonly nodeName?: string;
  readonly containers?: readonly Named[];
  readonly initContainers?: readonly Named[];
  readonly ephemeralContainers?: readonly Named[];
}

interface Named {
  readonly name?: string;
}

export async function podConnection(ctx: RequestContext): Promise<Reply> {
  const { server, resource, info, query, request } = ctx;
  const { subresource } = info;
  const log = subresource === "log";
  if (query.has("dryRun") && !log) throw badRequest("dryRun is not supported");
  if (log) checkLogOptions(info.name, query);
  else if (subresource !== "proxy") await checkMayCreate(ctx);
  if (subresource === "proxy") {
    if (server.kubelets !== undefined) return proxy(ctx, server.kubelets);
    await read(ctx, resource, info.name);
    throw serviceUnavailable(`no endpoints available for ${info.resource} "${info.name}"`);
  }
  const pod = await read(ctx, resource, info.name);
  const spec = (pod.spec ?? {}) as Spec;
  const container = subresource === "portforward" ? "" : chosenContainer(info.name, spec, query.get("container") ?? "");
  const { nodeName = "" } = spec;
  // What has not started has written nothing, and that is no error.
  if (nodeName === "" && log) return bytesReply(204, "", new Uint8Array(0));
  if (nodeName === "") throw badRequest(`pod ${info.name} does not have a host assigned`);
  const nodes = server.served.find("", "v1", "nodes");
  if (nodes === undefined) throw notFound({ group: "", resource: "nodes" }, nodeName);
  const node = (await read({ ...ctx, info: { ...info, namespace: "" } }, nodes, nodeName)) as coreV1.Node;
  const { kubelets } = server;
  if (kubelets === undefined) throw serviceUnavailable(`node "${nodeName}" has no kubelet that can be reached`);
  const place = [pod.metadata?.namespace ?? "", info.name, ...(subresource === "portforward" ? [] : [container])].map(encodeURIComponent);
  const path = `/${kubeletPaths[subresource]}/${place.join("/")}${queryOf(ctx)}`;
  const goal = { target: kubeletTarget(node), node: nodeName, path };
  if (log) return kubelets.logs(goal, { pod: info.name, verify: !parseBool(query.get("insecureSkipTLSVerifyBackend")) });
  return kubelets.connect(request, goal);
}

const kubeletPaths: Readonly<Record<string, string>> = { log: "containerLogs", exec: "exec", attach: "attach", portforward: "portForward" };

/** A WebSocket begins with a GET, but who may only read may not run anything. @throws forbidden() */
async function checkMayCreate({ server, info, user }: RequestContext): Promise<void> {
  if (info.verb === "create") return;
  const attributes = { ...info, verb: "create" as const, user };
  const decision = await server.authorize(attributes);
  if (decision.kind !== "allow") throw notAuthorized(attributes, decision.reason);
}

async function read({ server, info }: RequestContext, resource: RequestContext["resource"], name: string): Promise<KubeObject> {
  const { entry } = await server.store.get(keyOf(resource, info.namespace, name));
  if (entry === undefined) throw notFound(resource.groupResource, name);
  return server.cache.objectAt(entry, resource);
}

/** What of the options kubelets know, as they want it. */
function queryOf({ info, query }: RequestContext): string {
  const asked = new URLSearchParams();
  const copy = (name: string): void => {
    const value = query.get(name) ?? "";
    if (value !== "") asked.set(name, value);
  };
  const flag = (name: string, value: string): void => {
    if (parseBool(query.get(name))) asked.set(name, value);
  };
  switch (info.subresource) {
    case "log":
      for (const name of ["follow", "previous", "timestamps"]) flag(name, "true");
      for (const name of ["sinceSeconds", "sinceTime", "tailLines", "limitBytes", "stream"]) copy(name);
      break;
    case "portforward":
      if (query.has("ports")) asked.set("port", query.getAll("ports").join(","));
      break;
    default:
      for (const [name, kubelets] of streamNames) if (parseBool(query.get(name))) asked.set(kubelets, "1");
      if (info.subresource === "exec") for (const part of query.getAll("command")) asked.append("command", part);
  }
  return asked.size === 0 ? "" : `?${asked}`;
}

/** What clients and what kubelets call them. */
const streamNames = [
  ["stdin", "input"],
  ["stdout", "output"],
  ["stderr", "error"],
  ["tty", "tty"],
] as const;

/** @throws badRequest() when the container is not there, or not named though there are several. */
function chosenContainer(pod: string, spec: Spec, asked: string): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  if (asked !== "") {
    if ([...containers, ...initContainers, ...ephemeralContainers].some(({ name }) => name === asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${pod}`);
  }
  if (containers.length === 1) return containers[0]?.name ?? "";
  const orInit = initContainers.length === 0 ? "" : ` or one of the init containers: ${listed(initContainers)}`;
  throw badRequest(`a container name must be specified for pod ${pod}, choose one of: ${listed(containers)}${orInit}`);
}

const listed = (containers: readonly Named[]): string => `[${containers.map(({ name }) => name).join(" ")}]`;
