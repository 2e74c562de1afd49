/** The resources of metrics.k8s.io, which are made for each request. @see k8s.io/metrics/pkg/apis/metrics/v1beta1 */
import { type Cell, type Column, publishedSchema, type ResourceDefinition } from "@coxswain/api";
import type { KubeObject } from "@coxswain/machinery";

const group = "metrics.k8s.io";
const version = "v1beta1";

export interface Usage {
  readonly cpu: string;
  readonly memory: string;
}

/** A node has its usage itself, a Pod that of its containers. */
export interface MetricsObject extends KubeObject {
  readonly timestamp: string;
  readonly window: string;
  readonly usage?: Usage;
  readonly containers?: readonly { readonly name: string; readonly usage: Usage }[];
}

export const metricsDefinitions = (): readonly ResourceDefinition[] => [
  definitionOf({ resource: "nodes", kind: "NodeMetrics", namespaced: false }, { usage }),
  definitionOf(
    { resource: "pods", kind: "PodMetrics", namespaced: true },
    {
      containers: {
        type: "array",
        items: { type: "object", required: ["name", "usage"], properties: { name: { type: "string" }, usage } },
      },
    },
  ),
];

const usage = { type: "object", additionalProperties: { type: "string" } };

type Names = Pick<ResourceDefinition, "resource" | "kind" | "namespaced">;

function definitionOf(names: Names, own: Readonly<Record<string, object>>): ResourceDefinition {
  const { kind } = names;
  const name = `io.k8s.metrics.pkg.apis.metrics.v1beta1.${kind}`;
  const properties = { timestamp: { type: "string", format: "date-time" }, window: { type: "string" }, ...own };
  const schema = { type: "object", required: ["timestamp", "window", ...Object.keys(own)], properties };
  return {
    ...names,
    // So that clients call them by their kind, as with metrics-server: `kubectl get podmetrics`.
    singular: "",
    group,
    version,
    listKind: `${kind}List`,
    verbs: new Set(["get", "list"]),
    shortNames: [],
    categories: [],
    subresources: new Map(),
    columns,
    type: { kind: "struct", name, shortName: kind, fields: new Map(), atomic: false },
    strategy: { type: name, cells },
    storagePrefix: undefined,
    storageVersion: version,
    hasStatus: false,
    get schema() {
      return publishedSchema(schema, { group, version, kind });
    },
  };
}

const column = (name: string, format: string, description: string): Column => ({ name, type: "string", format, description, priority: 0 });

const columns: readonly Column[] = [
  column("Name", "name", "The name of the resource."),
  column("cpu", "quantity", "Processors in use, on average over the window."),
  column("memory", "quantity", "Memory in use."),
  column("Window", "duration", "Over which time the processors were measured."),
];

/** Usages are always whole numbers of `n` and `Ki` here. */
function cells(object: Readonly<KubeObject>): readonly Cell[] {
  const { metadata, window, usage: own, containers = [] } = object as MetricsObject;
  const all = own === undefined ? containers.map((one) => one.usage) : [own];
  const total = (name: keyof Usage): number => all.reduce((sum, one) => sum + Number.parseInt(one[name], 10), 0);
  return [metadata?.name ?? "", `${total("cpu")}n`, `${total("memory")}Ki`, window];
}
