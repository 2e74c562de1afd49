/** `/services/NAME/proxy`: requests of any kind, passed on to one of the addresses that the Service's Endpoints name. */
import type { coreV1 } from "@coxswain/api";
import { notFound, serviceUnavailable } from "@coxswain/machinery";
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { podRoute } from "../../../kubelets/pod-route.ts";
import { checkReach } from "../../../kubelets/target.ts";
import { type ObjectReader, readCoreObject } from "../../../storage/object-reader.ts";
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

async function serviceTarget(services: ServiceProxyServices, { ctx, kubelets, asked }: ProxyRequest): Promise<ProxyTarget> {
  const { reader } = services;
  const { scheme, name } = asked;
  const portName = await portNameOf(reader, ctx, asked);
  // Kubernetes says it of the Service, whose registry it asks.
  const endpoints = await readCoreObject<coreV1.Endpoints>(reader, "endpoints", ctx.info.namespace, name);
  if (endpoints === undefined) throw notFound({ group: "", resource: "services" }, name);
  if ((endpoints.subsets ?? []).length === 0) throw serviceUnavailable(`no endpoints available for service "${name}"`);
  const endpoint = await endpointOf(services, endpoints, ctx.info.namespace, portName);
  if (endpoint === undefined) throw serviceUnavailable(`no endpoints available for service "${ctx.info.name}"`);
  const { pod, ...found } = endpoint;
  const route = await podRoute(reader, pod, found.port);
  const loopback = route !== undefined || kubelets.loopback;
  checkReach(found.host, loopback);
  return { target: { scheme, ...found }, route, loopback };
}

/** The Service itself is asked for no more than the name of a port that is meant by its number. */
async function portNameOf(reader: ObjectReader, ctx: ProxyRequest["ctx"], { name, port }: ProxyRequest["asked"]): Promise<string> {
  const number = int64(port);
  if (number === undefined) return port;
  const service = await readNamed<coreV1.Service>(reader, ctx, name);
  const found = (service.spec?.ports ?? []).find((one) => BigInt(one.port) === number);
  if (found === undefined) throw serviceUnavailable(`no service port ${number} found for service "${name}"`);
  return found.name ?? "";
}

/** As Go reads it; undefined for what is none. */
function int64(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined;
  const number = BigInt(text.replace("+", ""));
  return BigInt.asIntN(64, number) === number ? number : undefined;
}

interface PodEndpoint {
  readonly host: string;
  readonly port: number;
  readonly pod: Readonly<coreV1.Pod>;
}

/** Any one that is the address of a Pod: others would lead to wherever who writes Endpoints likes. */
async function endpointOf(
  { reader, random }: Pick<ServiceProxyServices, "reader" | "random">,
  { subsets = [] }: coreV1.Endpoints,
  namespace: string,
  portName: string,
): Promise<PodEndpoint | undefined> {
  const fromAny = <T>(list: readonly T[]): readonly T[] => {
    const start = Math.floor(random.next() * list.length);
    return [...list.slice(start), ...list.slice(0, start)];
  };
  for (const { addresses = [], ports = [] } of fromAny(subsets ?? [])) {
    for (const { port } of ports.filter(({ name = "" }) => name === portName)) {
      for (const { ip, targetRef } of fromAny(addresses)) {
        if (targetRef?.namespace !== namespace) continue;
        const pod = await readCoreObject<coreV1.Pod>(reader, "pods", namespace, targetRef.name ?? "");
        const own = [pod?.status?.podIP, ...(pod?.status?.podIPs ?? []).map((one) => one.ip)];
        if (pod !== undefined && own.includes(ip)) return { host: ip, port, pod };
      }
    }
  }
  return undefined;
}
