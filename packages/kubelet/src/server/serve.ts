/** From a request that is allowed to its answer. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "@coxswain/machinery";
import type { LocalPod } from "../pod/local-pods.ts";
import { answerJson, answerText, ServerError } from "./answer.ts";
import { serveLogs } from "./container-logs.ts";
import type { CpuRates } from "./cpu-rates.ts";
import { runningContainer } from "./find-container.ts";
import { serveConnection } from "./pod-connection.ts";
import { servePortForward } from "./port-forward.ts";
import { serveCommand, terminalRequest } from "./remote-command.ts";
import { resourceMetrics } from "./resource-metrics.ts";
import { type Route, routeOf } from "./routes.ts";
import type { ServedNode } from "./served-node.ts";
import { type Summary, summaryOf, summaryText } from "./summary.ts";
import { isTcp, type Upgrade } from "./upgrades.ts";

export interface Served {
  readonly nodes: ReadonlyMap<string, ServedNode>;
  readonly clock: Clock;
  readonly rates: CpuRates;
}

interface Place {
  readonly node: ServedNode;
  readonly local: LocalPod;
}

/** @throws ServerError */
export async function serveRequest(served: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { route, query } = parsed(request);
  if (request.method !== "GET" && request.method !== "HEAD" && !isConnection(route)) throw new ServerError(405, "405: Method Not Allowed");
  const signal = goneSignal(response);
  switch (route.kind) {
    case "containerLogs": {
      const { pod, container } = route;
      const { node, local } = placeOf(served, request, route) ?? missing(`pod ${JSON.stringify(pod)} does not exist`);
      return await serveLogs(response, { local, runtime: node.runtime, container, query, now: served.clock.now(), signal });
    }
    case "exec":
    case "attach":
    case "portForward":
      throw new ServerError(400, "Upgrade request required");
    case "healthz":
      return answerText(response, 200, "ok");
    default:
      return await serveNode(served, route.kind, { request, response, query, signal });
  }
}

interface NodeRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

type NodeRoute = Exclude<Route["kind"], "containerLogs" | "exec" | "attach" | "portForward" | "healthz">;

async function serveNode(served: Served, kind: NodeRoute, { request, response, query, signal }: NodeRequest): Promise<void> {
  const node = nodeOf(served, request) ?? missing("no such node here");
  const brief = query.get("only_cpu_and_memory") === "true";
  switch (kind) {
    case "pods":
      return answerJson(response, podList(node.pods.list()));
    case "runningpods":
      return answerJson(response, podList(node.pods.list().filter(({ sandbox }) => sandbox?.ready === true)));
    case "summary":
      return answerText(response, 200, summaryText(await summarised(served, node, { brief, signal })), "application/json");
    case "resourceMetrics":
      return answerMetrics(response, resourceMetrics(await summarised(served, node, { brief: true, signal }).catch(() => undefined)));
    case "metrics":
      return answerMetrics(response, `${nodeName(node)}${(await node.metrics?.()) ?? ""}`);
    case "probeMetrics":
      return answerMetrics(response, (await node.probeMetrics?.()) ?? "");
    case "configz":
      return answerJson(response, {
        kubeletconfig: { kind: "KubeletConfiguration", apiVersion: "kubelet.config.k8s.io/v1beta1", ...node.config },
      });
  }
}

/** Resolves when the connection has ended. @throws ServerError while it can still be sent */
export async function serveUpgrade(served: Served, upgrade: Upgrade): Promise<void> {
  const { request } = upgrade;
  const { route, query } = parsed(request);
  if (!isConnection(route)) throw new ServerError(400, "this path takes no upgrade");
  const place = route.kind === "portForward" ? undefined : terminalRequest(query);
  const { node, local } = placeOf(served, request, route) ?? missing("pod does not exist");
  if (route.uid !== undefined && local.pod.metadata?.uid !== route.uid) missing("pod not found");
  if (isTcp(request.headers.upgrade) && route.kind !== "portForward") throw new ServerError(400, "this path takes no such upgrade");
  const { clock } = served;
  const { runtime } = node;
  if (place === undefined || route.kind === "portForward") {
    const { name = "", namespace = "", uid = "" } = local.pod.metadata ?? {};
    const { sandbox } = local;
    if (sandbox?.ready !== true) throw new ServerError(500, `pod not found (${JSON.stringify(`${name}_${namespace}`)})`);
    if (isTcp(request.headers.upgrade)) return await serveConnection(upgrade, query, { runtime, sandboxId: sandbox.id });
    const dial = (port: number, signal: AbortSignal) => runtime.portForward(sandbox.id, port, signal);
    return await servePortForward(upgrade, query, { pod: name, uid, dial }, clock);
  }
  const { id } = runningContainer(local, route.container);
  const command = route.kind === "exec" ? query.getAll("command") : [];
  const start = (signal: AbortSignal) =>
    route.kind === "exec" ? runtime.exec(id, { ...place, command }, signal) : runtime.attach(id, place, signal);
  return await serveCommand(upgrade, place, { kind: route.kind, command, start }, clock);
}

function parsed({ url = "/" }: IncomingMessage): { readonly route: Route; readonly query: URLSearchParams } {
  const mark = url.indexOf("?");
  const route = routeOf(mark < 0 ? url : url.slice(0, mark)) ?? missing("404 page not found");
  return { route, query: new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1)) };
}

type Connection = Extract<Route, { readonly uid: string | undefined }>;

const isConnection = (route: Route): route is Connection & { readonly kind: "exec" | "attach" | "portForward" } =>
  route.kind === "exec" || route.kind === "attach" || route.kind === "portForward";

function missing(what: string): never {
  throw new ServerError(404, what);
}

/** The node that the `Host` header names, or the only one there is. */
function nodeOf({ nodes }: Served, { headers }: IncomingMessage): ServedNode | undefined {
  const named = nodes.get((headers.host ?? "").replace(/:\d+$/, ""));
  if (named !== undefined || nodes.size !== 1) return named;
  const [only] = nodes.values();
  return only;
}

/** The node for which the access of the client is checked: the one that it names, or that has what it asks for. */
export function nodeNameOf(served: Served, request: IncomingMessage): string {
  const [first] = served.nodes.keys();
  return nodeOf(served, request)?.name ?? nodeWith(served, request)?.name ?? first ?? "";
}

function nodeWith(served: Served, request: IncomingMessage): ServedNode | undefined {
  const route = routeOf((request.url ?? "/").split("?", 1)[0] ?? "/");
  return route !== undefined && "pod" in route ? placeOf(served, request, route)?.node : undefined;
}

function placeOf(served: Served, request: IncomingMessage, { namespace, pod, uid }: Connection): Place | undefined {
  const named = nodeOf(served, request);
  // Rights on one node are none on the Pods of others.
  for (const node of named === undefined ? served.nodes.values() : [named]) {
    const local = node.pods.find(namespace, pod, uid) ?? node.pods.find(namespace, pod);
    if (local !== undefined) return { node, local };
  }
  return undefined;
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort(new Error("the client is gone")));
  return gone.signal;
}

const summarised = ({ clock, rates }: Served, node: ServedNode, options: { brief: boolean; signal: AbortSignal }): Promise<Summary> =>
  summaryOf(node, {
    ...options,
    now: clock.now(),
    rateOf: (id, cpuNanoseconds, at) => rates.rateOf(id === undefined ? `node/${node.name}` : `${node.name}/${id}`, cpuNanoseconds, at),
  });

const podList = (pods: readonly LocalPod[]): object => ({
  kind: "PodList",
  apiVersion: "v1",
  metadata: {},
  items: pods.map(({ pod }) => pod),
});

const answerMetrics = (response: ServerResponse, text: string): void =>
  answerText(response, 200, text, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores");

/** What a kubelet counts itself has the rest. */
const nodeName = ({ name }: ServedNode): string =>
  `# HELP kubelet_node_name [ALPHA] The node's name. The count is always 1.\n# TYPE kubelet_node_name gauge\nkubelet_node_name{node="${name}"} 1\n`;
