/** The resources of metrics.k8s.io, which are made for each request. @see k8s.io/metrics/pkg/apis/metrics/v1beta1 */
import { defineColumnsOf, publishedSchema, type ResourceDefinition } from "@coxswain/api";
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
    type: { kind: "struct", name, shortName: kind, fields: new Map(), atomic: false },
    strategy: { type: name, columns },
    storagePrefix: undefined,
    storageVersion: version,
    hasStatus: false,
    get schema() {
      return publishedSchema(schema, { group, version, kind });
    },
  };
}

const columns = defineColumnsOf(
  (object: Readonly<KubeObject>) => object as MetricsObject,
  [
    {
      name: "Name",
      type: "string",
      format: "name",
      description: "The name of the resource.",
      value: ({ metadata }) => metadata?.name ?? "",
    },
    {
      name: "cpu",
      type: "string",
      format: "quantity",
      description: "Processors in use, on average over the window.",
      value: (object) => `${total(object, "cpu")}n`,
    },
    {
      name: "memory",
      type: "string",
      format: "quantity",
      description: "Memory in use.",
      value: (object) => `${total(object, "memory")}Ki`,
    },
    {
      name: "Window",
      type: "string",
      format: "duration",
      description: "Over which time the processors were measured.",
      value: ({ window }) => window,
    },
  ],
);

/** Usages are always whole numbers of `n` and `Ki` here. */
function total({ usage: own, containers = [] }: MetricsObject, name: keyof Usage): number {
  const all = own === undefined ? containers.map((one) => one.usage) : [own];
  return all.reduce((sum, one) => sum + Number.parseInt(one[name], 10), 0);
}
