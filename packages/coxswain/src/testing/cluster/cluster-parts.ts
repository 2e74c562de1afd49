/** What a test's cluster has besides its API server: whatever is brought up here ends with the cluster, or before. */
import { type Client, type Controller, type RunningControllers, startControllers, type Task } from "@coxswain/client";
import type { IpFamily, SimulatedImages } from "@coxswain/kubelet";
import { AsyncDisposableStack } from "@coxswain/machinery";
import type { PodExplanation, SchedulerDefinition } from "@coxswain/scheduler";
import { systemServiceAccount } from "../../in-process/in-process-callers.ts";
import type { FaultScript } from "../faults/fault-script.ts";
import { type OptionNames, validateOptions } from "../validation/options.ts";
import type { Connect, NodeConnections } from "./node-connections.ts";
import type { TestUser } from "./test-user.ts";

/** What `TestCluster.run` brings up beside the API server. */
export interface ClusterParts {
  /** Those of Kubernetes: all, or chosen as `--controllers` chooses. New nodes take Pods once `nodelifecycle` has seen that they are ready. */
  readonly controllers?: true | readonly string[];
  /** Kubernetes' default one, or as `defineScheduler` has it. */
  readonly scheduler?: true | SchedulerDefinition;
  /** Simulated ones: so many, called `node-1` and so on, or by these names. */
  readonly nodes?: number | readonly string[];
  /** What becomes of containers on them, by image; annotations of Pods say it, too. */
  readonly images?: SimulatedImages;
  /** What goes wrong between all of them and the server. */
  readonly faults?: FaultScript;
}

/** What `TestCluster.run` has brought up; disposing it ends it. */
export interface RunningParts extends AsyncDisposable {
  /** Why a Pod is where it is; undefined when the scheduler knows nothing of it. */
  explain(namespace: string, pod: string): PodExplanation | undefined;
}

/** Gives each part a way in of its own. */
export type ClientFor = (user: TestUser, options: { readonly fieldManager: string; readonly faults?: FaultScript }) => Client;

export interface PartsDependencies {
  readonly clientFor: ClientFor;
  /** Where the server finds the kubelets of nodes. */
  readonly nodes: NodeConnections;
  /** Of the cluster. */
  readonly ipFamilies: readonly IpFamily[];
}

/** Resolves when all run, and the nodes are ready. */
export async function runParts(parts: ClusterParts, { clientFor, nodes, ipFamilies }: PartsDependencies): Promise<RunningParts> {
  validateOptions("run", parts, partNames);
  await using stack = new AsyncDisposableStack();
  const clientOf = (agent: string, user: TestUser = { name: `system:${agent}`, groups: [] }): Client =>
    clientFor(user, { fieldManager: agent, ...(parts.faults === undefined ? {} : { faults: parts.faults }) });
  const run: Run = (tasks, client) =>
    stack.use(startControllers(tasks, { client, clientForServiceAccount: (name) => clientOf(managerAgent, systemServiceAccount(name)) }));
  if (parts.nodes !== undefined) {
    const client = clientOf("kubelet", { name: "system:nodes" });
    const { fleet, connect } = await makeNodes(parts, ipFamilies, client);
    stack.use(nodes.add(connect));
    run([fleet], client);
    await fleet.ready;
  }
  const scheduler = parts.scheduler === undefined ? undefined : await makeScheduler(parts.scheduler);
  if (scheduler !== undefined) {
    run([scheduler], clientOf("kube-scheduler"));
    await scheduler.ready;
  }
  if (parts.controllers !== undefined) await startBuiltIn(parts.controllers, clientOf(managerAgent), run);
  const owned = stack.move();
  return {
    explain: (namespace, pod) => scheduler?.explain(namespace, pod),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const partNames: OptionNames<ClusterParts> = { controllers: true, scheduler: true, nodes: true, images: true, faults: true };

/** As managed fields have it. */
const managerAgent = "kube-controller-manager";

type Run = (tasks: readonly (Controller | Task)[], client: Client) => RunningControllers;

/** What most tests do without is loaded when one asks for it. */
async function makeNodes({ nodes = 0, images }: ClusterParts, ipFamilies: readonly IpFamily[], { clock, random }: Client) {
  const { connectToNode, createFleet, Simulation } = await import("@coxswain/kubelet");
  const simulation = new Simulation({ clock, random, ...(images === undefined ? {} : { images }) });
  const fleet = createFleet({ nodes, simulation, ipFamilies });
  const connect: Connect = (name) => {
    const node = fleet.node(name);
    return node === undefined ? undefined : connectToNode(node, { clock, log: { error: () => undefined } });
  };
  return { fleet, connect };
}

async function makeScheduler(definition: true | SchedulerDefinition) {
  const { createScheduler, resolveScheduler } = await import("@coxswain/scheduler");
  const { profiles, podInitialBackoffMs, podMaxBackoffMs } = definition === true ? resolveScheduler() : resolveScheduler(definition);
  return createScheduler({ profiles, initialBackoffMs: podInitialBackoffMs, maxBackoffMs: podMaxBackoffMs });
}

async function startBuiltIn(choice: true | readonly string[], client: Client, run: Run): Promise<void> {
  const { builtInTasks, chooseControllers } = await import("@coxswain/controllers");
  await run(builtInTasks(chooseControllers(choice === true ? ["*"] : choice), client, {}), client).ready;
}
