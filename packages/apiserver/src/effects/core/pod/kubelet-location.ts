/** Where the kubelet of a Pod's node serves something of the Pod: Kubernetes' ResourceLocation of its connecting subresources. */

import type { coreV1 } from "@coxswain/api";
import { badRequest, notFound, serviceUnavailable } from "@coxswain/machinery";
import type { RequestContext } from "../../../contracts/request-context.ts";
import { kubeletTarget } from "../../../kubelets/kubelet-target.ts";
import type { KubeletRequest, Kubelets } from "../../../kubelets/kubelets.ts";
import { readObject } from "../../../storage/object-reader.ts";
import type { ClusterServices, EffectServices } from "../../services.ts";

export type ConnectServices = Pick<EffectServices, "reader"> & { readonly cluster: Pick<ClusterServices, "kubelets"> };

export interface Connection {
  /** The kubelet's path: `/PATH/NAMESPACE/POD[/CONTAINER]`. */
  readonly path: string;
  readonly ofContainer: boolean;
  /** For the kubelet. */
  readonly query: URLSearchParams;
}

export interface KubeletLocation {
  readonly kubelets: Kubelets;
  readonly request: KubeletRequest;
}

/** Undefined for a Pod that has no node yet. @throws StatusError */
export async function kubeletLocation(
  { reader, cluster: { kubelets } }: ConnectServices,
  ctx: RequestContext,
  { path, ofContainer, query }: Connection,
): Promise<KubeletLocation | undefined> {
  const { resource, info } = ctx;
  const pod = await readObject<coreV1.Pod>(reader, resource.definition, info.namespace, info.name);
  if (pod === undefined) throw notFound(resource.groupResource, info.name);
  const container = ofContainer ? [chosenContainer(info.name, pod.spec, ctx.query.get("container") ?? "")] : [];
  const { nodeName = "" } = pod.spec ?? {};
  if (nodeName === "") return undefined;
  const node = await readObject<coreV1.Node>(reader, nodes, "", nodeName);
  // As Kubernetes says it, who takes the node for what the request is about.
  if (node === undefined) throw notFound(resource.groupResource, nodeName);
  if (kubelets === undefined) throw serviceUnavailable(`node "${nodeName}" has no kubelet that can be reached`);
  const names = [pod.metadata?.namespace ?? "", info.name, ...container].map(encodeURIComponent);
  const request = {
    target: kubeletTarget(node),
    node: nodeName,
    path: `/${path}/${names.join("/")}${query.size === 0 ? "" : `?${query}`}`,
  };
  return { kubelets, request };
}

const nodes = { group: "", version: "v1", resource: "nodes" };

interface Named {
  readonly name?: string;
}

/** @throws badRequest() when the container is not there, or not named though there are several. */
function chosenContainer(pod: string, spec: Readonly<Partial<coreV1.PodSpec>> = {}, asked: string): string {
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
