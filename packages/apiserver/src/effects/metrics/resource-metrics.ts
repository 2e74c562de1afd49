/** `metrics.k8s.io`: what somebody has measured, as objects, for the Pods and Nodes that there are. */
import { formatGoDuration, type KubeObject, methodNotAllowed, notFound, wireTime } from "@coxswain/machinery";
import type { RequestContext } from "../../context.ts";
import type { Reply } from "../../contracts/http.ts";
import type { Measured, ResourceMetrics } from "../../contracts/resource-metrics.ts";
import type { ServedResource } from "../../contracts/served-resource.ts";
import { parseSelection } from "../../registry/selection.ts";
import { parseListOptions } from "../../request/options.ts";
import { replyObject } from "../../responsewriters/write-object.ts";
import { replyObjects } from "../../responsewriters/write-objects.ts";
import { keyOf, prefixOf } from "../../storage/served-resource.ts";
import type { MetricsObject, Usage } from "./definitions.ts";

export async function serveResourceMetrics(ctx: RequestContext): Promise<Reply> {
  const { server, resource, info } = ctx;
  const { resourceMetrics } = server;
  const source = server.served.find("", "v1", info.resource);
  if (resourceMetrics === undefined || source === undefined || !resource.definition.verbs.has(info.verb)) throw methodNotAllowed();
  const measured = await measurements(ctx, resourceMetrics);
  if (info.verb === "list") return replyObjects(ctx, await list(ctx, source, measured));
  const { entry } = await server.store.get(keyOf(source, info.namespace, info.name));
  const object = entry === undefined ? undefined : measured(server.cache.objectOf(entry));
  if (object !== undefined) return replyObject(ctx, 200, object, resource);
  const about = { group: info.group, resource: resource.definition.kind.toLowerCase() };
  throw notFound(about, info.namespace === "" ? info.name : `${info.namespace}/${info.name}`);
}

type Measurements = (of: Readonly<KubeObject>) => MetricsObject | undefined;

async function list(
  { server, info, query }: RequestContext,
  source: ServedResource,
  measured: Measurements,
): Promise<readonly MetricsObject[]> {
  const { labelSelector, fieldSelector } = parseListOptions(query);
  const selection = parseSelection(source, server.cache, labelSelector, fieldSelector);
  const { entries } = await server.store.list(prefixOf(source, info.namespace));
  return entries
    .filter((entry) => selection.matches(entry))
    .map((entry) => measured(server.cache.objectOf(entry)))
    .filter((object) => object !== undefined);
}

async function measurements({ server, info, resource }: RequestContext, metrics: ResourceMetrics): Promise<Measurements> {
  const { kind } = resource.definition;
  const head = ({ metadata: { name = "", namespace, labels } = {} }: Readonly<KubeObject>, { at, windowMs }: Measured) => ({
    kind,
    apiVersion: resource.apiVersion,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      creationTimestamp: wireTime(server.clock.now()),
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
