/** `/services/NAME/proxy`: requests of any kind, passed on to one of the Service's endpoints. */

import type { coreV1 } from "@coxswain/api";
import { serviceUnavailable } from "@coxswain/machinery";
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { podRoute } from "../../../kubelets/pod-route.ts";
import { checkReach } from "../../../kubelets/target.ts";
import { podEndpoint } from "../../../webhooks/resolve-service.ts";
import type { EffectServices } from "../../services.ts";
import { type ProxyRequest, type ProxyServices, type ProxyTarget, proxyRequest, proxyTo, readNamed } from "../proxy-request.ts";

type ServiceProxyServices = ProxyServices & Pick<EffectServices, "random">;

export const serviceProxy: SubresourceEffect<ServiceProxyServices> = {
  on: "/services/proxy",
  answers: "connection",
  create: (services) => async (ctx) => {
    const request = await proxyRequest(services, ctx, "service");
    return proxyTo(request, await serviceTarget(services, request));
  },
};

async function serviceTarget({ reader, random }: ServiceProxyServices, { ctx, kubelets, asked }: ProxyRequest): Promise<ProxyTarget> {
  const { scheme, name, port } = asked;
  const { info } = ctx;
  const service = await readNamed<coreV1.Service>(reader, ctx, name);
  const ports = service.spec?.ports ?? [];
  const named = /^\d+$/.test(port) ? ports.find((one) => one.port === Number(port)) : undefined;
  if (/^\d+$/.test(port) && named === undefined) throw serviceUnavailable(`no service port ${Number(port)} found for service "${name}"`);
  const portName = named === undefined ? port : (named.name ?? "");
  const endpoint = await podEndpoint({ ...reader, random }, info.namespace, name, portName);
  if (endpoint === undefined) throw serviceUnavailable(`no endpoints available for service "${info.name}"`);
  const { pod, ...found } = endpoint;
  const route = await podRoute(reader, pod, found.port);
  const loopback = route !== undefined || kubelets.loopback;
  checkReach(found.host, loopback);
  return { target: { scheme, ...found }, route, loopback };
}
