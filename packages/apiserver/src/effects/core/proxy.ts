/** `/proxy` of Pods, Services and Nodes: requests of any kind, passed on. */
import type { coreV1 } from "@coxswain/api";
import { badRequest, type KubeObject, notFound, type StatusError, serviceUnavailable } from "@coxswain/machinery";
import type { RequestContext } from "../../context.ts";
import type { Reply } from "../../contracts/http.ts";
import { bytesReply } from "../../http/exchange.ts";
import { checkProxyable, isSimulated, kubeletTarget } from "../../kubelets/kubelet-target.ts";
import { isUpgrade, type Kubelets, type PodRequest } from "../../kubelets/kubelets.ts";
import { podRoute } from "../../kubelets/pod-route.ts";
import { proxiedPath } from "../../kubelets/proxy-path.ts";
import { hostOf, type NameAndPort, portNumber, reachOf, splitName, type Target } from "../../kubelets/target.ts";
import { keyOf } from "../../storage/served-resource.ts";
import { podEndpoint } from "../../webhooks/resolve-service.ts";

/** @throws StatusError */
export async function proxy(ctx: RequestContext, kubelets: Kubelets): Promise<Reply> {
  const { info, request, body } = ctx;
  const asked = splitName(info.name);
  if (asked === undefined) throw badRequest(`invalid ${singular[info.resource] ?? info.resource} request ${JSON.stringify(info.name)}`);
  const path = proxiedPath(info, request.path);
  if (info.resource === "nodes") {
    const node = (await objectOf(ctx, asked.name)) as coreV1.Node;
    const kubelet = kubeletTarget(node);
    const own = asked.port === "" || asked.port === String(kubelet.port);
    checkProxyable(kubelet, kubelets.loopback && own);
    if (path === "" && isPage(request)) return withSlash(ctx);
    const goal = { target: kubelet, node: asked.name, path: withQuery(ctx, path) };
    if (own) return kubelets.proxyToKubelet(request, body, goal);
    const target = { ...kubelet, scheme: asked.scheme, port: portNumber(asked.port) };
    if (isSimulated(node)) throw refusedBy(target);
    return kubelets.proxy(request, body, { target, path: goal.path, route: undefined });
  }
  const place = info.resource === "pods" ? await podPlace(ctx, asked, kubelets) : await servicePlace(ctx, asked, kubelets);
  if (path === "" && isPage(request)) return withSlash(ctx);
  return kubelets.proxy(request, body, { ...place, path: withQuery(ctx, path) });
}

/** Nothing but its kubelet is on a simulated node. */
const refusedBy = (target: Target): StatusError =>
  serviceUnavailable(`error trying to reach service: dial tcp ${hostOf(target)}: connect: connection refused`);

const singular: Readonly<Record<string, string>> = { pods: "pod", services: "service", nodes: "node" };

const withQuery = ({ request }: RequestContext, path: string): string =>
  `${path === "" ? "/" : path}${request.query === "" ? "" : `?${request.query}`}`;

const isPage = (request: RequestContext["request"]): boolean =>
  (request.method === "GET" || request.method === "HEAD") && !isUpgrade(request);

/** Pages there have links that stand below it. */
function withSlash({ request }: RequestContext): Reply {
  const location = `${request.path}/${request.query === "" ? "" : `?${request.query}`}`;
  return { ...bytesReply(301, "", new Uint8Array(0)), headers: { location } };
}

async function objectOf({ server, resource, info }: RequestContext, name: string): Promise<KubeObject> {
  const { entry } = await server.store.get(keyOf(resource, info.namespace, name));
  if (entry === undefined) throw notFound(resource.groupResource, name);
  return server.cache.objectOf(entry);
}

const schemePorts = { http: 80, https: 443 } as const;

type Place = Pick<PodRequest, "target" | "route">;

async function podPlace(ctx: RequestContext, { scheme, name, port }: NameAndPort, { loopback }: Kubelets): Promise<Place> {
  const pod = (await objectOf(ctx, name)) as coreV1.Pod;
  const { spec, status } = pod;
  const declared = (spec?.containers ?? []).flatMap(({ ports }) => ports ?? []).map(({ containerPort }) => containerPort);
  const number = port === "" ? (declared[0] ?? schemePorts[scheme]) : portNumber(port);
  const host = status?.podIPs?.[0]?.ip ?? status?.podIP ?? "";
  const route = await podRoute(ctx.server, pod, number);
  // What a Pod declares is its own, also where it shares the addresses of this machine.
  checkAddress(host, route !== undefined || (loopback && declared.includes(number)));
  return { target: { scheme, host, port: number }, route };
}

async function servicePlace(ctx: RequestContext, { scheme, name, port }: NameAndPort, { loopback }: Kubelets): Promise<Place> {
  const { server, info } = ctx;
  const service = (await objectOf(ctx, name)) as coreV1.Service;
  const ports = service.spec?.ports ?? [];
  const named = /^\d+$/.test(port) ? ports.find((one) => one.port === Number(port)) : undefined;
  if (/^\d+$/.test(port) && named === undefined) throw serviceUnavailable(`no service port ${Number(port)} found for service "${name}"`);
  const endpoint = await podEndpoint(server, info.namespace, name, named === undefined ? port : (named.name ?? ""));
  if (endpoint === undefined) throw serviceUnavailable(`no endpoints available for service "${info.name}"`);
  const { pod, ...found } = endpoint;
  const route = await podRoute(server, pod, found.port);
  checkAddress(found.host, route !== undefined || loopback);
  return { target: { scheme, ...found }, route };
}

/** @throws badRequest() for addresses that the server itself may know other things by */
function checkAddress(host: string, loopback: boolean): void {
  const reach = reachOf(host);
  if (reach === "none" || (reach === "loopback" && !loopback)) throw badRequest("address not allowed");
}
