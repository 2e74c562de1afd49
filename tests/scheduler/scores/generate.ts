/** Clusters at random, small and crowded, so that every rule has something to say. */
import type { api } from "@coxswain/client";
import type { Case, Node, Pod } from "./case.ts";

type PodSpec = api.coreV1.PodSpec;
type PodTerm = api.coreV1.PodAffinityTerm;

/** The same for the same seed. */
export function generate(seed: number): Omit<Case, "outcome"> {
  const die = dieOf(seed);
  const sizes = images.map(() => (30 + die.below(1500)) * MiB);
  const nodes = Array.from({ length: 3 + die.below(5) }, (_, i) => nodeAt(die, i, sizes));
  const there = Array.from({ length: die.below(14) }, (_, i) => {
    const pod = podAt(die, `there-${i}`, { plain: die.chance(0.5) });
    return { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName: die.of(nodes).metadata?.name ?? "" } };
  });
  const services = die.chance(0.4) ? [serviceOf("a")] : [];
  const pod = podAt(die, "new", { plain: die.chance(0.15) });
  const schedulerName = die.of(schedulers);
  return { nodes, services, there, pod: { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], schedulerName } } };
}

/** As in `configuration.json`. */
const schedulers = ["default-scheduler", "packing", "shaped"];

type Die = ReturnType<typeof dieOf>;

/** mulberry32. */
function dieOf(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const of = <T>(all: readonly T[]): T => {
    const one = all[below(all.length)];
    if (one === undefined) throw new RangeError("nothing to choose from");
    return one;
  };
  return { below, of, chance: (probability: number): boolean => next() < probability };
}

const zone = "topology.kubernetes.io/zone";
const hostname = "kubernetes.io/hostname";
const MiB = 2 ** 20;

function nodeAt(die: Die, i: number, sizes: readonly number[]): Node {
  const name = `n${i}`;
  const allocatable = {
    cpu: `${die.of([2, 4, 4, 7, 8])}`,
    memory: `${die.of([3, 8, 8, 13, 16])}Gi`,
    "ephemeral-storage": "50Gi",
    pods: `${die.of([4, 110, 110, 110, 110])}`,
    ...(die.chance(0.4) ? { "example.com/gpu": `${1 + die.below(4)}` } : {}),
  };
  const labels = {
    [hostname]: name,
    ...(die.chance(0.9) ? { [zone]: `z${die.below(3)}` } : {}),
    disk: die.of(["ssd", "hdd"]),
    rank: `${die.below(9)}`,
  };
  const taints = [
    ...(die.chance(0.15) ? [{ key: "gpu", value: "yes", effect: "NoSchedule" }] : []),
    ...(die.chance(0.25) ? [{ key: "busy", value: "yes", effect: "PreferNoSchedule" }] : []),
    ...(die.chance(0.15) ? [{ key: "noisy", effect: "PreferNoSchedule" }] : []),
    ...(die.chance(0.05) ? [{ key: "ending", effect: "NoExecute" }] : []),
  ];
  const held = images.flatMap((image, at) => (die.chance(0.4) ? [{ names: [image], sizeBytes: sizes[at] ?? 0 }] : []));
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels },
    spec: { ...(taints.length > 0 ? { taints } : {}), ...(die.chance(0.05) ? { unschedulable: true } : {}) },
    status: { allocatable, capacity: allocatable, images: held, conditions: [{ type: "Ready", status: "True" }] },
  };
}

const images = ["registry.example/app:1", "registry.example/log:latest", "registry.example/db:2"];
const apps = ["a", "b", "c"];

function podAt(die: Die, name: string, { plain }: { readonly plain: boolean }): Pod {
  const labels = { app: die.of(apps), ...(die.chance(0.3) ? { tier: die.of(["1", "2"]) } : {}) };
  const spec: PodSpec = {
    containers: Array.from({ length: die.chance(0.3) ? 2 : 1 }, (_, i) => containerAt(die, `c${i}`)),
    ...(die.chance(0.2)
      ? { initContainers: [{ ...containerAt(die, "i0"), ...(die.chance(0.5) ? { restartPolicy: "Always" } : {}) }] }
      : {}),
    ...(plain ? {} : preferencesAt(die)),
  };
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default", labels }, spec };
}

function containerAt(die: Die, name: string): api.coreV1.Container {
  const requests = {
    ...(die.chance(0.7) ? { cpu: `${die.of([50, 100, 333, 500, 1000, 1500])}m` } : {}),
    ...(die.chance(0.7) ? { memory: die.of(["64Mi", "500M", "1Gi", "1500Mi"]) } : {}),
    ...(die.chance(0.04) ? { "example.com/gpu": "1" } : {}),
    ...(die.chance(0.1) ? { "ephemeral-storage": "1Gi" } : {}),
  };
  const limits = "example.com/gpu" in requests ? { "example.com/gpu": "1" } : undefined;
  const image = die.of([...images, "registry.example/log"]);
  const ports = [{ containerPort: 80, hostPort: die.of([8080, 8081]) }];
  return { name, image, resources: { requests, ...(limits && { limits }) }, ...(die.chance(0.06) ? { ports } : {}) };
}

function preferencesAt(die: Die): Partial<PodSpec> {
  return {
    ...(die.chance(0.08) ? { nodeSelector: { disk: die.of(["ssd", "hdd"]) } } : {}),
    ...(die.chance(0.5) ? { tolerations: tolerationsAt(die) } : {}),
    ...(die.chance(0.4) ? { topologySpreadConstraints: constraintsAt(die) } : {}),
    affinity: affinityAt(die),
  };
}

const tolerationsAt = (die: Die): api.coreV1.Toleration[] => [
  { key: "gpu", operator: "Exists" },
  ...(die.chance(0.5) ? [{ key: "busy", operator: "Equal", value: die.of(["yes", "no"]), effect: "PreferNoSchedule" }] : []),
];

const selectorAt = (die: Die) => ({ matchLabels: { app: die.of(apps) } });

function constraintsAt(die: Die): api.coreV1.TopologySpreadConstraint[] {
  const one = (topologyKey: string) => ({
    topologyKey,
    maxSkew: 1 + die.below(3),
    whenUnsatisfiable: die.of(["DoNotSchedule", "ScheduleAnyway", "ScheduleAnyway", "ScheduleAnyway"]),
    labelSelector: selectorAt(die),
    ...(die.chance(0.2) ? { nodeTaintsPolicy: "Honor" } : {}),
    ...(die.chance(0.2) ? { nodeAffinityPolicy: "Ignore" } : {}),
  });
  return [zone, hostname].filter(() => die.chance(0.7)).map(one);
}

function affinityAt(die: Die): api.coreV1.Affinity {
  const term = (): PodTerm => ({
    labelSelector: selectorAt(die),
    topologyKey: die.of([zone, hostname]),
    ...(die.chance(0.1) ? { namespaceSelector: {} } : {}),
  });
  const weighted = () => [...Array(1 + die.below(2))].map(() => ({ weight: 1 + die.below(100), podAffinityTerm: term() }));
  const nodeTerm = () => ({
    matchExpressions: [
      die.of([
        { key: "disk", operator: "In", values: ["ssd"] },
        { key: "rank", operator: "Gt", values: ["3"] },
        { key: zone, operator: "NotIn", values: ["z0"] },
      ]),
    ],
  });
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  return {
    nodeAffinity: {
      ...(die.chance(0.08) ? { [required]: { nodeSelectorTerms: [nodeTerm()] } } : {}),
      ...(die.chance(0.4) ? { [preferred]: [...Array(2)].map(() => ({ weight: 1 + die.below(100), preference: nodeTerm() })) } : {}),
    },
    podAffinity: { ...(die.chance(0.07) ? { [required]: [term()] } : {}), ...(die.chance(0.35) ? { [preferred]: weighted() } : {}) },
    podAntiAffinity: { ...(die.chance(0.1) ? { [required]: [term()] } : {}), ...(die.chance(0.35) ? { [preferred]: weighted() } : {}) },
  };
}

const serviceOf = (app: string): api.coreV1.Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: app, namespace: "default" },
  spec: { selector: { app }, ports: [{ port: 80 }] },
});
