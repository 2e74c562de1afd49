/** Nodes on which nothing really runs, and a scheduler that takes them in turn: what controllers need to see their Pods live. */
import {
  type api,
  type Client,
  controller,
  done,
  leases,
  nodes,
  type Outcome,
  pods,
  type ReconcileContext,
  type RunningControllers,
  requeue,
  startControllers,
  watching,
} from "@coxswain/client";
import { formatTime, isAlreadyExists, isConflict, isNotFound } from "@coxswain/machinery";
import { nextStep, outcomeInAnnotations, type Pod, type PodOutcome } from "./simulated-pod.ts";

type Node = api.coreV1.Node;

export interface SimulationOptions {
  /** Not the one under faults. */
  readonly client: Client;
  /** Default: `node-0` alone. */
  readonly nodes?: number | readonly string[];
  /** Default: what its annotations say. */
  readonly podOutcome?: (pod: Pod) => PodOutcome;
  /** How long containers take to end once they are asked to. Default: 0. */
  readonly stopAfterMs?: number;
  /** False leaves Pods where they are: another scheduler binds them. */
  readonly schedules?: boolean;
}

export interface SimulatedNodes extends AsyncDisposable {
  /** The node's watches stop, and the node does nothing more: as if its kubelet had died. */
  silence(node: string): void;
  /** It is back, with all that it has missed. */
  wake(node: string): Promise<void>;
}

const heartbeatMs = 10_000;
const onNode = "on node";

/** Resolves when the nodes are there. Their heartbeats alone do not make a virtual clock go on. */
export async function simulateNodes(options: SimulationOptions): Promise<SimulatedNodes> {
  const { client } = options;
  const count = options.nodes ?? 1;
  const names = typeof count === "number" ? Array.from({ length: count }, (_, i) => `node-${i}`) : count;
  const silent = new Set<string>();
  await Promise.all(names.map((name) => register(client, name)));
  const heart = beat(client, () => names.filter((name) => !silent.has(name)));
  const running = startControllers([simulation(options, silent)], { client });
  await Promise.race([running.ready, running.ended]);
  return {
    silence: (node) => void silent.add(node),
    wake: async (node) => {
      silent.delete(node);
      await register(client, node);
    },
    [Symbol.asyncDispose]: () => end(running, heart),
  };
}

async function end(running: RunningControllers, heart: Disposable): Promise<void> {
  heart[Symbol.dispose]();
  await running[Symbol.asyncDispose]();
}

const rfc3339 = (ms: number): string => formatTime({ seconds: Math.floor(ms / 1000), nanos: 0 }) ?? "";

async function register(client: Client, name: string): Promise<void> {
  const room = { cpu: "1000", memory: "4Ti", pods: "100000", "ephemeral-storage": "100Ti" };
  const time = rfc3339(client.clock.now());
  const ready = {
    type: "Ready",
    status: "True",
    reason: "KubeletReady",
    message: "kubelet is posting ready status",
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  };
  const metadata = { name, labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" } };
  await client.resource(nodes).create({ metadata }).catch(unlessThere);
  const status = { capacity: room, allocatable: room, conditions: [ready], addresses: [{ type: "InternalIP", address: "10.0.0.1" }] };
  await client.resource(nodes).patch(name, { type: "strategic", patch: { status } }, { subresource: "status" });
  // A Node begins with the taint that it is not ready, and who takes that away need not run here.
  await client.resource(nodes).patch(name, { type: "merge", patch: { spec: { taints: null } } });
  await renew(client, name);
}

async function renew(client: Client, name: string): Promise<void> {
  const resource = client.resource(leases, "kube-node-lease");
  const renewTime = new Date(client.clock.now()).toISOString().replace("Z", "000Z");
  const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
  await resource
    .patch(name, { type: "merge", patch: { spec } })
    .catch(async (error: unknown) =>
      isNotFound(error) ? await resource.create({ metadata: { name, namespace: "kube-node-lease" }, spec }) : unlessThere(error),
    );
}

function unlessThere(error: unknown): undefined {
  if (!isAlreadyExists(error)) throw error;
  return undefined;
}

function beat(client: Client, names: () => readonly string[]): Disposable {
  const schedule = () => {
    const timer = client.clock.schedule(heartbeatMs, () => {
      for (const name of names()) renew(client, name).catch(() => undefined);
      next = schedule();
    });
    timer.unref();
    return timer;
  };
  let next = schedule();
  return { [Symbol.dispose]: () => next[Symbol.dispose]() };
}

function simulation(options: SimulationOptions, silent: ReadonlySet<string>) {
  const { schedules = true, podOutcome = outcomeInAnnotations, stopAfterMs = 0 } = options;
  /** When what a Pod does began, and in which state of it that was. */
  const since = new Map<string, { readonly what: string; readonly ms: number }>();
  let turn = 0;
  const address = podAddresses();

  const reconcile = async (key: string, ctx: ReconcileContext<Pod>): Promise<Outcome> => {
    const { object: pod, client, signal } = ctx;
    if (pod === undefined) {
      since.delete(key);
      return done;
    }
    const { namespace, name = "", uid = "" } = pod.metadata ?? {};
    const target = { namespace, name };
    const preconditions = { uid };
    const { nodeName } = pod.spec ?? {};
    if (nodeName === undefined) return schedules ? await bind(pod, ctx) : done;
    if (silent.has(nodeName)) return done;
    const nowMs = client.clock.now();
    const what = pod.metadata?.deletionTimestamp === undefined ? uid : `${uid} goes`;
    const begun = since.get(key);
    const sinceMs = begun?.what === what ? begun.ms : nowMs;
    if (begun?.what !== what) since.set(key, { what, ms: nowMs });
    const step = nextStep({ pod, podOutcome: podOutcome(pod), nowMs, sinceMs, stopAfterMs, podIp: address(pod.status?.podIP) });
    switch (step.do) {
      case "nothing":
        return done;
      case "wait":
        return requeue(step.ms);
      case "report": {
        if (step.restarts === true) since.set(key, { what, ms: nowMs });
        const patch = { metadata: { uid }, status: step.status };
        await client.resource(pods).patch(target, { type: "merge", patch }, { subresource: "status", signal }).catch(ignoreGone);
        return done;
      }
      case "remove":
        await client.resource(pods).delete(target, { gracePeriodSeconds: 0, preconditions, signal }).catch(ignoreGone);
        return done;
    }
  };

  const bind = async (pod: Pod, { cache, signal }: ReconcileContext<Pod>): Promise<Outcome> => {
    const { namespace, name = "", uid, deletionTimestamp } = pod.metadata ?? {};
    if (deletionTimestamp !== undefined || (pod.spec?.schedulingGates ?? []).length > 0) return done;
    const possible = cache(nodes)
      .list()
      .filter((node) => fits(pod, node))
      .map(({ metadata }) => metadata?.name ?? "")
      .sort();
    const node = possible[turn++ % possible.length];
    if (node === undefined) return done;
    const binding = { metadata: { name, ...(uid === undefined ? {} : { uid }) }, target: { kind: "Node", name: node } };
    // A binding with the reconcile's own client reads the Pod afterwards: the answer does not have it.
    await options.client
      .resource(pods)
      .subresource({ namespace, name }, "binding")
      .create({ ...binding, apiVersion: "v1", kind: "Binding" }, { signal })
      .catch(ignoreGone);
    return done;
  };

  return controller<Pod>({
    name: "simulated-nodes",
    for: pods,
    indexes: { [onNode]: ({ spec }) => [spec?.nodeName ?? ""] },
    watches: [
      watching(nodes, ({ metadata }, _change, { cache }) =>
        [metadata?.name ?? "", ""]
          .flatMap((node) => cache(pods).byIndex(onNode, node))
          .map(({ metadata }) => ({ namespace: metadata?.namespace ?? "", name: metadata?.name ?? "" })),
      ),
    ],
    concurrency: 20,
    reconcile: ({ namespace, name }, ctx) => reconcile(`${namespace}/${name}`, ctx),
  });
}

/** The address that a Pod has, or the next one. */
function podAddresses(): (present: string | undefined) => string {
  let last = 0;
  return (present) => {
    if (present !== undefined) return present;
    last++;
    return `10.${244 + (last >> 16)}.${(last >> 8) & 255}.${last & 255}`;
  };
}

function ignoreGone(error: unknown): undefined {
  if (!isNotFound(error) && !isConflict(error)) throw error;
  return undefined;
}

/** Node selector, the node that a DaemonSet names, cordons and taints; no other affinity, and no resources. */
function fits({ spec }: Pod, node: Node): boolean {
  const { name = "", labels = {} } = node.metadata ?? {};
  if (node.spec?.unschedulable === true && spec?.tolerations?.some(({ key }) => key === "node.kubernetes.io/unschedulable") !== true)
    return false;
  if (!Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const named = terms.flatMap(({ matchFields = [] }) => matchFields.flatMap(({ values = [] }) => values));
  if (named.length > 0 && !named.includes(name)) return false;
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect !== "PreferNoSchedule");
  return taints.every((taint) => spec?.tolerations?.some((one) => tolerates(one, taint)) === true);
}

const tolerates = (toleration: api.coreV1.Toleration, taint: api.coreV1.Taint): boolean =>
  (toleration.effect ?? taint.effect) === taint.effect &&
  (toleration.key ?? taint.key) === taint.key &&
  (toleration.operator === "Exists" || (toleration.value ?? "") === (taint.value ?? ""));
