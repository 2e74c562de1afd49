/** Clusters at random, and what happens in them. */
import type { api } from "@coxswain/client";
import fc from "fast-check";
import type { Node, Pod } from "./model.ts";

type PodSpec = api.coreV1.PodSpec;
type Affinity = api.coreV1.Affinity;
type Selector = NonNullable<api.coreV1.PodAffinityTerm["labelSelector"]>;

export const namespaces: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ["default", {}],
  ["other", { team: "x" }],
]);

const zone = "zone";
const hostname = "kubernetes.io/hostname";

const taint = fc.record({
  key: fc.constantFrom("gpu", "busy"),
  value: fc.constantFrom("", "yes"),
  effect: fc.constantFrom("NoSchedule", "NoExecute", "PreferNoSchedule"),
});

export const nodeNamed = (name: string): fc.Arbitrary<Node> =>
  fc
    .record({
      zone: fc.constantFrom("a", "b", "c", undefined),
      rank: fc.integer({ min: 0, max: 5 }),
      taints: sometimes(fc.uniqueArray(taint, { minLength: 1, maxLength: 2, selector: ({ key, effect }) => `${key} ${effect}` })),
      unschedulable: sometimes(fc.constant(true)),
      cpu: fc.integer({ min: 1, max: 6 }),
      memory: fc.integer({ min: 100, max: 1000 }),
      gpu: fc.integer({ min: 0, max: 2 }),
      pods: fc.constantFrom(3, 10),
    })
    .map(({ zone: in_, rank, taints, unschedulable, cpu, memory, gpu, pods }) => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { [hostname]: name, rank: `${rank}`, ...(in_ && { [zone]: in_ }) } },
      spec: { ...(taints && { taints }), ...(unschedulable && { unschedulable }) },
      status: { allocatable: { cpu: `${cpu}`, memory: `${memory}Mi`, pods: `${pods}`, "example.com/gpu": `${gpu}` } },
    }));

const requests = fc
  .record({
    cpu: sometimes(fc.integer({ min: 0, max: 15 })),
    memory: sometimes(fc.integer({ min: 0, max: 400 })),
    gpu: rarely(fc.constant(1)),
  })
  .map(({ cpu, memory, gpu }) => ({
    ...(cpu === undefined ? {} : { cpu: `${cpu * 100}m` }),
    ...(memory === undefined ? {} : { memory: `${memory}Mi` }),
    ...(gpu === undefined ? {} : { "example.com/gpu": "1" }),
  }));

const port = fc.record({
  containerPort: fc.constant(80),
  hostPort: fc.constantFrom(80, 81),
  protocol: fc.constantFrom("TCP", "UDP"),
  hostIP: fc.constantFrom("0.0.0.0", "10.0.0.1", "10.0.0.2"),
});

const container = fc
  .record({ requests, ports: rarely(fc.array(port, { minLength: 1, maxLength: 2 })) })
  .map(({ requests: amounts, ports }) => ({ name: "c", resources: { requests: amounts }, ...(ports && { ports }) }));

const initContainer = fc.record({ requests, sidecar: fc.boolean() }).map(({ requests: amounts, sidecar }) => ({
  name: "i",
  resources: { requests: amounts },
  ...(sidecar ? { restartPolicy: "Always" } : {}),
}));

const app = fc.constantFrom("web", "db", "log");
const selector = fc.oneof(
  app.map((value): Selector => ({ matchLabels: { app: value } })),
  fc.constantFrom<Selector[]>(
    { matchExpressions: [{ key: "app", operator: "NotIn", values: ["web"] }] },
    { matchExpressions: [{ key: "tier", operator: "Exists" }] },
  ),
);

const podTerm = fc
  .record({
    labelSelector: selector,
    topologyKey: fc.constantFrom(zone, hostname),
    namespaces: rarely(fc.constantFrom<string[][]>(["other"], ["default", "other"])),
    namespaceSelector: rarely(fc.constantFrom<Selector[]>({}, { matchLabels: { team: "x" } })),
  })
  .map(defined);

const nodeTerm = fc.record({
  matchExpressions: fc.tuple(
    fc.constantFrom<api.coreV1.NodeSelectorRequirement[]>(
      { key: zone, operator: "In", values: ["a", "b"] },
      { key: zone, operator: "DoesNotExist" },
      { key: "rank", operator: "Gt", values: ["2"] },
      { key: "rank", operator: "NotIn", values: ["1", "2"] },
    ),
  ),
});
const nameTerm = fc.constantFrom("n0", "n1").map((name) => ({ matchFields: [{ key: "metadata.name", operator: "In", values: [name] }] }));

const constraint = fc
  .record({
    topologyKey: fc.constantFrom(zone, hostname),
    maxSkew: fc.integer({ min: 1, max: 2 }),
    whenUnsatisfiable: fc.constant("DoNotSchedule"),
    labelSelector: selector,
    minDomains: rarely(fc.integer({ min: 1, max: 4 })),
    nodeAffinityPolicy: rarely(fc.constantFrom("Honor", "Ignore")),
    nodeTaintsPolicy: rarely(fc.constantFrom("Honor", "Ignore")),
  })
  .map(defined);

const required = <T>(terms: fc.Arbitrary<T>) =>
  fc.array(terms, { minLength: 1, maxLength: 2 }).map((all) => ({ requiredDuringSchedulingIgnoredDuringExecution: all }));

const affinity: fc.Arbitrary<Affinity> = fc
  .record({
    nodeAffinity: rarely(
      fc
        .array(fc.oneof(nodeTerm, nameTerm), { minLength: 1, maxLength: 2 })
        .map((nodeSelectorTerms) => ({ requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } })),
    ),
    podAffinity: rarely(required(podTerm)),
    podAntiAffinity: sometimes(required(podTerm)),
  })
  .map((given): Affinity => defined(given));

const spec: fc.Arbitrary<PodSpec> = fc
  .record({
    containers: fc.array(container, { minLength: 1, maxLength: 2 }),
    initContainers: rarely(fc.array(initContainer, { minLength: 1, maxLength: 3 })),
    nodeSelector: rarely(fc.constant({ [zone]: "a" })),
    tolerations: sometimes(
      fc.constantFrom<api.coreV1.Toleration[][]>(
        [{ operator: "Exists" }],
        [{ key: "gpu", operator: "Exists" }],
        [{ key: "busy", value: "yes", effect: "NoSchedule" }],
      ),
    ),
    affinity: sometimes(affinity),
    topologySpreadConstraints: sometimes(fc.array(constraint, { minLength: 1, maxLength: 2 })),
  })
  .map((given): PodSpec => defined(given));

/** Without a name. */
export const pod: fc.Arbitrary<Pod> = fc
  .record({ namespace: fc.constantFrom("default", "default", "other"), app, tier: rarely(fc.constant("1")), spec })
  .map(({ namespace, app: name, tier, spec: asked }) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace, labels: { app: name, ...(tier && { tier }) } },
    spec: asked,
  }));

const namespace = fc.constantFrom("default", "other");
const namespaceLabels = fc.constantFrom<Readonly<Record<string, string>>[]>({}, { team: "x" }, { team: "y" });

/** With containers that ask for so much. */
export const resized = (pod: Pod, cpu: string): Pod => ({
  ...pod,
  spec: {
    ...pod.spec,
    containers: (pod.spec?.containers ?? []).map(({ resources, ...container }) => ({
      ...container,
      resources: { ...resources, requests: { ...resources?.requests, cpu } },
    })),
  },
});

export type Step =
  /** To a node where it fits, chosen by the number. */
  | { readonly do: "place"; readonly pod: Pod; readonly choice: number }
  | { readonly do: "remove" | "terminate" | "finish"; readonly choice: number }
  | { readonly do: "relabel"; readonly choice: number; readonly app: string }
  /** In place: what its containers ask for. */
  | { readonly do: "resize"; readonly choice: number; readonly cpu: string }
  | { readonly do: "label namespace"; readonly namespace: string; readonly labels: Readonly<Record<string, string>> }
  | { readonly do: "set node"; readonly node: Node }
  | { readonly do: "delete node"; readonly choice: number }
  /** Deletes it and creates it again under the same name, while its Pods stay. */
  | { readonly do: "recreate node"; readonly choice: number };

const choice = fc.nat({ max: 1000 });
const nodeName = fc.integer({ min: 0, max: 5 }).map((i) => `n${i}`);

export const nodes: fc.Arbitrary<Node[]> = fc
  .integer({ min: 1, max: 5 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => nodeNamed(`n${i}`))));

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: fc.record({ do: fc.constant("place" as const), pod, choice }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("remove" as const, "terminate" as const, "finish" as const), choice }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("relabel" as const), choice, app }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("resize" as const), choice, cpu: fc.constantFrom("100m", "700m", "1500m") }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("label namespace" as const), namespace, labels: namespaceLabels }) },
    { weight: 2, arbitrary: nodeName.chain(nodeNamed).map((node) => ({ do: "set node" as const, node })) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("delete node" as const, "recreate node" as const), choice }) },
  ),
  { minLength: 4, maxLength: 40, size: "max" },
);

function sometimes<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq: 2 });
}

function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

/** As JSON has it: what is undefined is not there. */
function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Defined<T>;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
