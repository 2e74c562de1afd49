/** `metrics.k8s.io`: what a metrics source has measured, as objects, for the Pods and Nodes that there are. */

import { type Clock, formatGoDuration, type KubeObject, methodNotAllowed, notFound, wireTime } from "@coxswain/machinery";
import type { Reply } from "../../contracts/http.ts";
import type { RequestContext } from "../../contracts/request-context.ts";
import type { Measured, ResourceMetrics } from "../../contracts/resource-metrics.ts";
import type { ServedResource } from "../../contracts/served-resource.ts";
import type { ResourceEffect } from "../../handlers/effect.ts";
import { parseSelection } from "../../registry/selection.ts";
import { parseListOptions } from "../../request/options.ts";
import { replyObjects } from "../../responsewriters/write-objects.ts";
import type { ObjectReader } from "../../storage/object-reader.ts";
import { keyOf, prefixOf } from "../../storage/served-resource.ts";
import type { ClusterServices, EffectServices } from "../services.ts";
import type { MetricsObject, Usage } from "./definitions.ts";

type MetricsServices = Pick<EffectServices, "reader" | "rest" | "clock"> & {
  readonly cluster: Pick<ClusterServices, "resourceMetrics">;
};

export const nodeMetrics: ResourceEffect<MetricsServices> = {
  on: "metrics.k8s.io/nodes",
  verbs: "all",
  create: (services) => (ctx) => serveResourceMetrics(services, ctx),
};

export const podMetrics: ResourceEffect<MetricsServices> = { ...nodeMetrics, on: "metrics.k8s.io/pods" };

async function serveResourceMetrics(services: MetricsServices, ctx: RequestContext): Promise<Reply> {
  const { reader, rest, clock } = services;
  const metrics = services.cluster.resourceMetrics;
  const { resource, info } = ctx;
  const source = reader.served.find("", "v1", info.resource);
  if (metrics === undefined || source === undefined || !resource.definition.verbs.has(info.verb)) throw methodNotAllowed();
  const measured = await measurements(clock, ctx, metrics);
  if (info.verb === "list") return replyObjects(ctx, clock, await list(reader, ctx, source, measured));
  const { entry } = await reader.store.get(keyOf(source, info.namespace, info.name));
  const object = entry === undefined ? undefined : measured(reader.cache.objectOf(entry));
  if (object !== undefined) return rest.responses.object(ctx, 200, object, resource);
  const about = { group: info.group, resource: resource.definition.kind.toLowerCase() };
  throw notFound(about, info.namespace === "" ? info.name : `${info.namespace}/${info.name}`);
}

type Measurements = (of: Readonly<KubeObject>) => MetricsObject | undefined;

async function list(
  { store, cache }: ObjectReader,
  { info, query }: RequestContext,
  source: ServedResource,
  measured: Measurements,
): Promise<readonly MetricsObject[]> {
  const { labelSelector, fieldSelector } = parseListOptions(query);
  const selection = parseSelection(source, cache, labelSelector, fieldSelector);
  const { entries } = await store.list(prefixOf(source, info.namespace));
  return entries
    .filter((entry) => selection.matches(entry))
    .map((entry) => measured(cache.objectOf(entry)))
    .filter((object) => object !== undefined);
}

async function measurements(clock: Clock, { info, resource }: RequestContext, metrics: ResourceMetrics): Promise<Measurements> {
  const { kind } = resource.definition;
  const head = ({ metadata: { name = "", namespace, labels } = {} }: Readonly<KubeObject>, { at, windowMs }: Measured) => ({
    kind,
    apiVersion: resource.apiVersion,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      creationTimestamp: wireTime(clock.now()),
      ...(labels === undefined ? {} : { labels }),
    },
    timestamp: wireTime(at),
    window: formatGoDuration(windowMs),
  });
  if (info.resource === "nodes") {
    const nodes = await metrics.nodes();
    return (object) => {
      const found = nodes.get(object.metadata?.name ?? "");
      return found === undefined ? undefined : { ...head(object, found), usage: usageOf(found) };
    };
  }
  const pods = await metrics.pods();
  return (object) => {
    const containers = pods.get(`${object.metadata?.namespace}/${object.metadata?.name}`) ?? [];
    const [first] = containers;
    if (first === undefined) return undefined;
    const usages = containers.map((container) => ({ name: container.name, usage: usageOf(container) }));
    return { ...head(object, first), containers: usages };
  };
}

const usageOf = ({ cpuNanocores, memoryBytes }: Measured): Usage => ({
  cpu: `${Math.round(cpuNanocores)}n`,
  memory: `${Math.ceil(memoryBytes / 1024)}Ki`,
});
