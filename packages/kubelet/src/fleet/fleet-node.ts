/** One simulated node: what is its own beside what all share. */
import type { coreV1 } from "@coxswain/api";
import type { Client, EventRecorder, MetricsRegistry } from "@coxswain/client";
import type { PodSource } from "../config/pod-source.ts";
import { createImageManager } from "../image-manager/image-manager.ts";
import { createConfigGenerator } from "../kuberuntime/container-config/config-generator.ts";
import { createHandlerRunner } from "../lifecycle/handler-runner.ts";
import { createNodeAgent, type NodeAgent } from "../node-status/node-agent.ts";
import type { NodeIdentity } from "../node-status/node-object.ts";
import type { SecretAndConfigMapManager } from "../object-managers/watch-based-manager.ts";
import type { KubeletLog } from "../pod/log.ts";
import type { PodWorkerDependencies } from "../pod-workers/dependencies.ts";
import { createPodSyncLoop, type PodSyncLoop } from "../pod-workers/pod-sync-loop.ts";
import { createProbeManager } from "../prober/prober-manager.ts";
import type { ServedNode } from "../server/served-node.ts";
import { simulatedRuntime } from "../simulated/simulated-runtime.ts";
import type { Simulation } from "../simulated/simulation.ts";
import type { VolumeManager } from "../volume-manager/volume-manager.ts";

export interface FleetNodeOptions {
  readonly client: Client;
  /** Writes the Node and its Lease. */
  readonly heartbeatClient: Client;
  readonly identity: NodeIdentity;
  readonly podCidrs: readonly string[];
  readonly simulation: Simulation;
  readonly pods: PodSource;
  readonly objects: SecretAndConfigMapManager;
  readonly volumes: VolumeManager;
  readonly events: Pick<EventRecorder, "record">;
  readonly metrics: MetricsRegistry;
  readonly log: KubeletLog;
  /** As a watch has it. */
  readonly node: () => coreV1.Node | undefined;
}

export interface FleetNode extends AsyncDisposable {
  readonly served: ServedNode;
  readonly agent: NodeAgent;
  readonly manager: PodSyncLoop;
}

export function createFleetNode(options: FleetNodeOptions): FleetNode {
  const { client, heartbeatClient, identity, simulation, objects, volumes, metrics, log, node } = options;
  const { clock, random } = client;
  const { name, machine } = identity;
  const events: Pick<EventRecorder, "record"> = {
    record: (about, event, kind) => options.events.record(about, { ...event, host: name }, kind),
  };
  const runtime = simulatedRuntime(simulation, { podCidrs: options.podCidrs });
  const facts = () => ({
    hostIps: machine.addresses,
    allocatable: agent.node?.status?.allocatable ?? {},
    memoryBytes: machine.memoryBytes,
  });
  const dependencies: PodWorkerDependencies = {
    runtime,
    volumes,
    configs: createConfigGenerator({
      rootDir: "",
      objects,
      node: facts,
      events,
      random,
      resolvConf: "",
      clusterDns: ["10.96.0.10"],
      // What plays containers plays them for any class.
      runtimeHandler: () => "",
      mounter: undefined,
      writesFiles: false,
    }),
    images: createImageManager({ runtime, objects, events, clock, parallelPulls: 10 }),
    probes: createProbeManager({ runtime, dial: runtime.dial, clock, random, events }),
    hooks: createHandlerRunner({ runtime, dial: runtime.dial, clock, events }),
  };
  const agent = createNodeAgent({ client: heartbeatClient, identity, runtime, events, random, log, known: node });
  const addresses = () => machine.addresses;
  const manager = createPodSyncLoop({
    nodeName: name,
    client,
    pods: options.pods,
    dependencies,
    node: () => agent.node,
    events,
    random,
    log,
    metrics,
    addresses,
  });
  return {
    served: { name, runtime, pods: manager.localPods },
    agent,
    manager,
    async [Symbol.asyncDispose]() {
      dependencies.probes[Symbol.dispose]();
      await runtime[Symbol.asyncDispose]();
    },
  };
}
