/**
 * Which nodes a Pod may go to, written down from Kubernetes' documentation as plainly as can be: no caches, every rule by itself,
 * everything counted again each time. Slow, and meant to be compared with.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/
 */
import type { api } from "@coxswain/client";

export type Node = api.coreV1.Node;
export type Pod = api.coreV1.Pod;
type Term = api.coreV1.PodAffinityTerm;

export interface World {
  readonly nodes: readonly Node[];
  /** All that have a node. */
  readonly pods: readonly Pod[];
  /** Labels of namespaces. */
  readonly namespaces: ReadonlyMap<string, Labels>;
}

type Labels = Readonly<Record<string, string>>;
type Rule = (world: World, pod: Pod, node: Node) => boolean;

/** Every rule that the node would break; none: the Pod may go there. */
export const broken = (world: World, pod: Pod, node: Node): readonly string[] =>
  Object.entries(rules)
    .filter(([, holds]) => !holds(world, pod, node))
    .map(([name]) => name);

const rules: Readonly<Record<string, Rule>> = {
  "the node takes new Pods": (_, pod, node) =>
    node.spec?.unschedulable !== true || tolerated(pod, { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }),
  "taints are tolerated": (_, pod, node) => hardTaints(node).every((taint) => tolerated(pod, taint)),
  "the node is chosen": (_, pod, node) => chosen(pod, node),
  "there is room for one Pod more": ({ pods }, _, node) => on(pods, node).length + 1 <= Number(node.status?.allocatable?.pods),
  "there is enough of everything": ({ pods }, pod, node) => {
    const wanted = requestsOf(pod);
    return [...wanted].every(([name, amount]) => {
      const taken = on(pods, node).reduce((sum, other) => sum + (requestsOf(other).get(name) ?? 0), 0);
      return amount === 0 || taken + amount <= amountOf(node.status?.allocatable?.[name] ?? "0");
    });
  },
  "host ports are free": ({ pods }, pod, node) =>
    portsOf(pod).every((port) => on(pods, node).every((other) => portsOf(other).every((taken) => !sameSocket(port, taken)))),
  "Pods that it needs are near": (world, pod, node) => hasCompany(world, pod, node),
  "Pods that it shuns are not near": (world, pod, node) =>
    termsOf(pod, "podAntiAffinity").every((term) =>
      world.pods.every((other) => !near(world, other, node, term.topologyKey) || !means(world, pod, term, other)),
    ),
  "it is not near Pods that shun it": (world, pod, node) =>
    world.pods.every((other) =>
      termsOf(other, "podAntiAffinity").every((term) => !near(world, other, node, term.topologyKey) || !means(world, other, term, pod)),
    ),
  "Pods are spread evenly enough": (world, pod, node) => isEven(world, pod, node),
};

const labelsOf = ({ metadata }: { readonly metadata?: { readonly labels?: Labels } }): Labels => metadata?.labels ?? {};
const on = (pods: readonly Pod[], node: Node): readonly Pod[] => pods.filter(({ spec }) => spec?.nodeName === node.metadata?.name);

type Taint = Pick<api.coreV1.Taint, "key" | "value" | "effect">;

const hardTaints = (node: Node): readonly Taint[] => (node.spec?.taints ?? []).filter(({ effect }) => effect !== "PreferNoSchedule");

const tolerated = ({ spec }: Pod, taint: Taint): boolean =>
  (spec?.tolerations ?? []).some(({ key, operator = "Equal", value = "", effect }) => {
    const sameKey = key === undefined ? operator === "Exists" : key === taint.key;
    const sameEffect = effect === undefined || effect === taint.effect;
    return sameKey && sameEffect && (operator === "Exists" || value === (taint.value ?? ""));
  });

function chosen({ spec }: Pod, node: Node): boolean {
  const labels = labelsOf(node);
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const bySelector = Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  return bySelector && (terms === undefined || terms.some((term) => termChooses(term, node)));
}

function termChooses({ matchExpressions = [], matchFields = [] }: api.coreV1.NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const byName = matchFields.every(({ operator, values = [] }) => values.includes(node.metadata?.name ?? "") === (operator === "In"));
  return byName && matchExpressions.every(({ key, operator, values = [] }) => expressionHolds(operator, labelsOf(node)[key], values));
}

function expressionHolds(operator: string, value: string | undefined, values: readonly string[]): boolean {
  if (operator === "Exists") return value !== undefined;
  if (operator === "DoesNotExist") return value === undefined;
  if (operator === "NotIn") return value === undefined || !values.includes(value);
  if (value === undefined) return false;
  if (operator === "In") return values.includes(value);
  return operator === "Gt" ? Number(value) > Number(values[0]) : Number(value) < Number(values[0]);
}

/** Containers run together; init containers before them one by one, but sidecars stay. */
function requestsOf({ spec }: Pod): Map<string, number> {
  const init = spec?.initContainers ?? [];
  const isSidecar = ({ restartPolicy }: api.coreV1.Container): boolean => restartPolicy === "Always";
  const together = [...(spec?.containers ?? []), ...init.filter(isSidecar)];
  const moments = [
    together,
    ...init.map((one, i) => (isSidecar(one) ? init.slice(0, i + 1).filter(isSidecar) : [...init.slice(0, i).filter(isSidecar), one])),
  ];
  const most = new Map<string, number>();
  for (const moment of moments) {
    const sums = new Map<string, number>();
    for (const { resources } of moment)
      for (const [name, text] of Object.entries(resources?.requests ?? {})) sums.set(name, (sums.get(name) ?? 0) + amountOf(text));
    for (const [name, sum] of sums) most.set(name, Math.max(most.get(name) ?? 0, sum));
  }
  return most;
}

/** In thousandths, which add up exactly; of the units that the generator uses. */
function amountOf(text: string): number {
  if (text.endsWith("m")) return Number(text.slice(0, -1));
  return 1000 * (text.endsWith("Mi") ? Number(text.slice(0, -2)) * 2 ** 20 : Number(text));
}

interface Socket {
  readonly port: number;
  readonly protocol: string;
  readonly ip: string;
}

const portsOf = ({ spec }: Pod): readonly Socket[] =>
  (spec?.containers ?? [])
    .flatMap(({ ports = [] }) => ports)
    .filter(({ hostPort }) => hostPort !== undefined)
    .map(({ hostPort = 0, protocol = "TCP", hostIP = "0.0.0.0" }) => ({ port: hostPort, protocol, ip: hostIP }));

const sameSocket = (a: Socket, b: Socket): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === "0.0.0.0" || b.ip === "0.0.0.0");

const termsOf = ({ spec }: Pod, kind: "podAffinity" | "podAntiAffinity"): readonly Term[] =>
  spec?.affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

const selects = (selector: Term["labelSelector"], labels: Labels): boolean =>
  selector !== undefined &&
  Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
  (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => expressionHolds(operator, labels[key], values));

/** Whether a term of the one Pod means the other. */
function means({ namespaces }: World, { metadata }: Pod, term: Term, other: Pod): boolean {
  const namespace = other.metadata?.namespace ?? "";
  const named = term.namespaces?.includes(namespace) === true;
  const own = term.namespaces === undefined && term.namespaceSelector === undefined && namespace === metadata?.namespace;
  return (named || own || selects(term.namespaceSelector, namespaces.get(namespace) ?? {})) && selects(term.labelSelector, labelsOf(other));
}

/** Whether the Pod is on a node of the same domain. */
function near({ nodes }: World, { spec }: Pod, node: Node, key: string): boolean {
  const other = nodes.find(({ metadata }) => metadata?.name === spec?.nodeName);
  const value = labelsOf(node)[key];
  return value !== undefined && other !== undefined && labelsOf(other)[key] === value;
}

/** The first of a group whose members want to be together may go anywhere that has the labels. */
function hasCompany(world: World, pod: Pod, node: Node): boolean {
  const terms = termsOf(pod, "podAffinity");
  if (terms.length === 0) return true;
  if (terms.some(({ topologyKey }) => labelsOf(node)[topologyKey] === undefined)) return false;
  const company = world.pods.filter((other) => terms.every((term) => means(world, pod, term, other)));
  if (terms.every(({ topologyKey }) => company.some((other) => near(world, other, node, topologyKey)))) return true;
  const isAnywhere = company.some((other) =>
    world.nodes.some((place) => terms.some(({ topologyKey }) => near(world, other, place, topologyKey))),
  );
  return !isAnywhere && terms.every((term) => means(world, pod, term, pod));
}

function isEven(world: World, pod: Pod, node: Node): boolean {
  const constraints = (pod.spec?.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule");
  const hasKeys = (one: Node): boolean => constraints.every(({ topologyKey }) => labelsOf(one)[topologyKey] !== undefined);
  return constraints.every(({ topologyKey, maxSkew, labelSelector, minDomains = 1, nodeAffinityPolicy, nodeTaintsPolicy }) => {
    const own = labelsOf(node)[topologyKey];
    if (own === undefined) return false;
    const counted = world.nodes.filter(
      (one) =>
        hasKeys(one) &&
        (nodeAffinityPolicy === "Ignore" || chosen(pod, one)) &&
        (nodeTaintsPolicy !== "Honor" || hardTaints(one).every((taint) => tolerated(pod, taint))),
    );
    const matching = ({ metadata }: Node): number =>
      world.pods.filter(
        (other) =>
          other.spec?.nodeName === metadata?.name &&
          other.metadata?.namespace === pod.metadata?.namespace &&
          other.metadata?.deletionTimestamp === undefined &&
          selects(labelSelector, labelsOf(other)),
      ).length;
    const domains = new Map<string, number>();
    for (const one of counted) {
      const value = labelsOf(one)[topologyKey] ?? "";
      domains.set(value, (domains.get(value) ?? 0) + matching(one));
    }
    const least = domains.size < minDomains ? 0 : Math.min(...domains.values());
    const self = selects(labelSelector, labelsOf(pod)) ? 1 : 0;
    return (domains.get(own) ?? 0) + self - least <= maxSkew;
  });
}
