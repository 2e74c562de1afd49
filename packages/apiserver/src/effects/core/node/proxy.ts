/** `/nodes/NAME/proxy`: requests of any kind, passed on to the Node's kubelet or to another port of the Node. */
import type { coreV1 } from "@coxswain/api";
import { type StatusError, serviceUnavailable } from "@coxswain/machinery";
import { notAuthorized } from "../../../authorization/forbidden.ts";
import type { Reply } from "../../../contracts/http.ts";
import type { RequestContext } from "../../../contracts/request-context.ts";
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { isSimulated, kubeletTarget } from "../../../kubelets/kubelet-target.ts";
import { isUpgrade } from "../../../kubelets/kubelets.ts";
import { hostOf, portNumber, type Target } from "../../../kubelets/target.ts";
import { needsSlash, type ProxyServices, proxyRequest, readNamed, withQuery, withSlash } from "../proxy-request.ts";

export const nodeProxy: SubresourceEffect<ProxyServices> = {
  on: "/nodes/proxy",
  answers: "connection",
  create: (services) => (ctx) => proxyToNode(services, ctx),
};

async function proxyToNode(services: ProxyServices, ctx: RequestContext): Promise<Reply> {
  const { kubelets, asked, path } = await proxyRequest(services, ctx, "node");
  const { request, body } = ctx;
  const node = await readNamed<coreV1.Node>(services.reader, ctx, asked.name);
  const kubelet = kubeletTarget(node);
  const own = asked.port === "" || asked.port === String(kubelet.port);
  if (isUpgrade(request)) await requireCreate(services, ctx);
  if (needsSlash(ctx, path)) return withSlash(ctx);
  const goal = { target: kubelet, node: asked.name, path: withQuery(ctx, path) };
  if (own) return kubelets.proxyToKubelet(request, body, goal);
  const target = { ...kubelet, scheme: asked.scheme, port: portNumber(asked.port, kubelet.host) };
  if (isSimulated(node)) throw connectionRefused(target);
  return kubelets.proxy(request, body, { target, path: goal.path, route: undefined, loopback: false });
}

/**
 * What a connection is used for does not show in the method of its request: commands run by a GET that is upgraded. It takes
 * the right to create, as `exec` of Pods does. @throws forbidden()
 */
async function requireCreate({ access }: ProxyServices, { info, user }: RequestContext): Promise<void> {
  const attributes = { ...info, user, verb: "create" } as const;
  const { kind, reason } = await access.authorize(attributes);
  if (kind !== "allow") throw notAuthorized(attributes, reason);
}

/** Nothing but its kubelet is on a simulated node. */
const connectionRefused = (target: Target): StatusError =>
  serviceUnavailable(`error trying to reach service: dial tcp ${hostOf(target)}: connect: connection refused`);
