/** `/pods/NAME/proxy`: requests of any kind, passed on to a port of the Pod. */
import type { coreV1 } from "@coxswain/api";
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { podRoute } from "../../../kubelets/pod-route.ts";
import { checkReach, portNumber } from "../../../kubelets/target.ts";
import type { ObjectReader } from "../../../storage/object-reader.ts";
import { type ProxyRequest, type ProxyServices, type ProxyTarget, proxyRequest, proxyTo, readNamed } from "../proxy-request.ts";

export const podProxy: SubresourceEffect<ProxyServices> = {
  on: "/pods/proxy",
  answers: "connection",
  create: (services) => async (ctx) => {
    const request = await proxyRequest(services, ctx, "pod");
    return proxyTo(request, await podTarget(services.reader, request));
  },
};

const schemePorts = { http: 80, https: 443 } as const;

async function podTarget(reader: ObjectReader, { ctx, kubelets, asked }: ProxyRequest): Promise<ProxyTarget> {
  const { scheme, name, port } = asked;
  const pod = await readNamed<coreV1.Pod>(reader, ctx, name);
  const { spec, status } = pod;
  const declared = (spec?.containers ?? []).flatMap(({ ports }) => ports ?? []).map(({ containerPort }) => containerPort);
  const host = status?.podIPs?.[0]?.ip ?? status?.podIP ?? "";
  const number = port === "" ? (declared[0] ?? schemePorts[scheme]) : portNumber(port, host);
  const route = await podRoute(reader, pod, number);
  // What a Pod declares is its own, also where it shares the addresses of this machine.
  const loopback = route !== undefined || (kubelets.loopback && declared.includes(number));
  checkReach(host, loopback);
  return { target: { scheme, host, port: number }, route, loopback };
}
