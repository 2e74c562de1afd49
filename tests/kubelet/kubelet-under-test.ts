/** A kubelet's Pods on one node of a test's cluster, with a runtime in which nothing runs and time that passes by itself. */
import { type api, type Client, createEventRecorder, createInformer, events, MetricsRegistry, pods } from "@coxswain/client";
import {
  createApiServerSource,
  createConfigGenerator,
  createHandlerRunner,
  createImageManager,
  createPodSyncLoop,
  createProbeManager,
  createSimulatedRuntime,
  type FileSource,
  type PodRuntime,
  type PodWorkerDependencies,
  type SimulatedRuntime,
} from "@coxswain/kubelet";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { type FaultScript, startCluster, type TestCluster, virtualClock } from "coxswain/testing";

export const nodeName = "one";
export type Pod = api.coreV1.Pod;

export interface KubeletUnderTestOptions {
  readonly client: Client;
  readonly runtime: SimulatedRuntime;
  readonly dependencies?: Partial<PodWorkerDependencies>;
  readonly node?: () => api.coreV1.Node | undefined;
  readonly warnings?: unknown[];
  readonly staticPods?: FileSource;
}

const absent = async () => {
  throw new Error("there are no such objects here");
};
const nothing = { getConfigMap: absent, getSecret: absent };

/** Its end leaves containers as they are. */
export function startKubelet({
  client,
  runtime,
  dependencies,
  node = () => undefined,
  warnings = [],
  staticPods,
}: KubeletUnderTestOptions) {
  const { clock, random } = client;
  const stop = new AbortController();
  const recorder = createEventRecorder({ client, component: "kubelet", host: nodeName });
  const informer = createInformer(client.resource(pods), { clock, fieldSelector: `spec.nodeName=${nodeName}` });
  const all: PodWorkerDependencies = {
    runtime,
    volumes: { mount: async () => new Map(), unmount: async () => undefined, present: async () => [] },
    configs: createConfigGenerator({
      rootDir: "/nowhere",
      objects: nothing,
      node: () => ({ hostIps: ["10.0.0.7"], allocatable: { cpu: "4", memory: "8Gi" }, memoryBytes: 8 * 1024 ** 3 }),
      events: recorder,
      random,
      resolvConf: "",
      clusterDns: ["10.96.0.10"],
      mounter: undefined,
      writesFiles: false,
    }),
    images: createImageManager({ runtime, objects: nothing, events: recorder, clock }),
    probes: createProbeManager({ runtime, dial: runtime.dial, clock, random, events: recorder }),
    hooks: createHandlerRunner({ runtime, dial: runtime.dial, clock, events: recorder }),
    ...dependencies,
  };
  const say = (fields: object, message: string) => void warnings.push({ message, ...fields });
  const manager = createPodSyncLoop({
    nodeName,
    client,
    pods: createApiServerSource(informer),
    dependencies: all,
    node,
    events: recorder,
    random,
    log: { debug: () => undefined, info: () => undefined, warn: say, error: say },
    metrics: new MetricsRegistry(),
    addresses: () => ["10.0.0.7"],
    ...(staticPods === undefined ? {} : { staticPods }),
  });
  const running = Promise.all([informer.run(stop.signal).catch(() => undefined), manager.run(stop.signal)]);
  return {
    manager,
    warnings,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      all.probes[Symbol.dispose]();
      await recorder[Symbol.asyncDispose]();
    },
  };
}

export interface NodeUnderTest extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly runtime: SimulatedRuntime;
  readonly warnings: unknown[];
  /** `Normal Started Container started`, in the order in which they were first recorded. */
  recorded(): Promise<string[]>;
  create(spec: Partial<api.coreV1.PodSpec>, metadata?: Pod["metadata"]): Promise<Pod>;
}

export interface NodeOptions extends Omit<Partial<KubeletUnderTestOptions>, "client"> {
  readonly faults?: FaultScript;
  /** Default: one of its own, that ends with the node. */
  readonly cluster?: TestCluster;
  readonly before?: (verb: keyof PodRuntime, about: string, signal: AbortSignal) => void | Promise<void>;
}

export async function startNode({ before, faults, cluster: given, ...options }: NodeOptions = {}): Promise<NodeUnderTest> {
  await using stack = new AsyncDisposableStack();
  const cluster = given ?? stack.use(await startCluster({ clock: virtualClock({ autoAdvance: true }) }));
  const { clock, random } = cluster;
  const runtime = stack.use(createSimulatedRuntime({ clock, random, ...(before === undefined ? {} : { before }) }));
  const client = cluster.clientFor({ name: "system:node:one" }, { fieldManager: "kubelet", ...(faults === undefined ? {} : { faults }) });
  const kubelet = stack.use(startKubelet({ runtime, ...options, client }));
  const owned = stack.move();
  return {
    cluster,
    runtime,
    warnings: kubelet.warnings,
    recorded: async () => {
      await cluster.advance({ seconds: 1 });
      const { items } = await cluster.client.resource(events).list();
      return items
        .toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1))
        .map(({ type, reason, message, count = 1 }) => `${type} ${reason}: ${message}${count > 1 ? ` (${count})` : ""}`);
    },
    create: (spec, metadata) => createPod(cluster.client, spec, metadata),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export const createPod = (client: Client, spec: Partial<api.coreV1.PodSpec>, metadata: Pod["metadata"] = {}): Promise<Pod> =>
  client.resource(pods).create({
    metadata: { name: "web", namespace: "default", ...metadata },
    spec: { nodeName, terminationGracePeriodSeconds: 30, containers: [{ name: "main", image: "registry.example/app:1" }], ...spec },
  });

export const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: now }) => type === "Ready" && now === "True") === true;

/** What becomes of its containers. */
export const script = (fields: Record<string, string>) => ({
  annotations: Object.fromEntries(Object.entries(fields).map(([name, value]) => [`simulation.coxswain.io/${name}`, value])),
});

export const statusOf = ({ status }: Pod, name = "main"): api.coreV1.ContainerStatus | undefined =>
  [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? []), ...(status?.ephemeralContainerStatuses ?? [])].find(
    (one) => one.name === name,
  );
