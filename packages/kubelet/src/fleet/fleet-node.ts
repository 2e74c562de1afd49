/** One simulated node: what is its own beside what all share. */
import type { coreV1 } from "@coxswain/api";
import type { Client, EventRecorder, MetricsRegistry } from "@coxswain/client";
import { createPodConfigs } from "../config/pod-configs.ts";
import { createHooks } from "../hooks/hooks.ts";
import { createImages } from "../images/create-images.ts";
import { createNodeAgent, type NodeAgent } from "../node/node-agent.ts";
import type { NodeIdentity } from "../node/node-object.ts";
import type { KubeletParts, PodSource, PodVolumes, ServedNode } from "../parts.ts";
import { createProbes } from "../probes/probes.ts";
import type { ReferencedObjects } from "../references/referenced-objects.ts";
import { simulatedRuntime } from "../simulated/simulated-runtime.ts";
import type { Simulation } from "../simulated/simulation.ts";
import type { SyncLog } from "../sync/sync-context.ts";
import { createPodManager, type PodManager } from "../workers/pod-manager.ts";

export interface FleetNodeOptions {
  readonly client: Client;
  readonly identity: NodeIdentity;
  readonly podCidr: string;
  readonly simulation: Simulation;
  readonly pods: PodSource;
  readonly objects: ReferencedObjects;
  readonly volumes: PodVolumes;
  readonly events: Pick<EventRecorder, "record">;
  readonly metrics: MetricsRegistry;
  readonly log: SyncLog;
  /** As a watch has it. */
  readonly node: () => coreV1.Node | undefined;
}

export interface FleetNode extends AsyncDisposable {
  readonly served: ServedNode;
  readonly agent: NodeAgent;
  readonly manager: PodManager;
}

export function createFleetNode(options: FleetNodeOptions): FleetNode {
  const { client, identity, simulation, objects, volumes, metrics, log, node } = options;
  const { clock, random } = client;
  const { name, machine } = identity;
  const events: Pick<EventRecorder, "record"> = {
    record: (about, event, kind) => options.events.record(about, { ...event, host: name }, kind),
  };
  const runtime = simulatedRuntime(simulation, { podCidr: options.podCidr });
  const facts = () => ({
    hostIps: machine.addresses,
    allocatable: agent.node?.status?.allocatable ?? {},
    memoryBytes: machine.memoryBytes,
  });
  const parts: KubeletParts = {
    runtime,
    volumes,
    configs: createPodConfigs({
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
    images: createImages({ runtime, objects, events, clock, parallelPulls: 10 }),
    probes: createProbes({ runtime, dial: runtime.dial, clock, random, events }),
    hooks: createHooks({ runtime, dial: runtime.dial, clock, events }),
  };
  const agent = createNodeAgent({ client, identity, runtime, events, random, log, known: node });
  const addresses = () => machine.addresses;
  const manager = createPodManager({
    nodeName: name,
    client,
    pods: options.pods,
    parts,
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
      parts.probes[Symbol.dispose]();
      await runtime[Symbol.asyncDispose]();
    },
  };
}
