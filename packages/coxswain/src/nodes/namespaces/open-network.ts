/** The network of nodes that share a machine, from before the API server listens in it until all has ended. */
import { mkdirSync, realpathSync } from "node:fs";
import type { Log } from "@coxswain/apiserver";
import { type Clock, messageOf } from "@coxswain/machinery";
import { StartError } from "../../process/start-error.ts";
import { checkMachine } from "./check-machine.ts";
import { endProcess } from "./end-process.ts";
import { containerProcesses, unmountBelow } from "./leftovers.ts";
import { ensureNetwork, isNetworkThere, removeNetwork, removeNode } from "./namespaced-network.ts";
import { chooseRange, clusterId, type NetworkPlan, networkNames, overlapping, planNetwork, rangesInUse } from "./network-plan.ts";
import { removeNodeCgroups } from "./node-cgroups.ts";
import { containerdPaths, stopMs } from "./node-containerd.ts";
import { nodeDataFolder } from "./node-data-folder.ts";
import { abandoned, formerOwner, nodeFolder, notedProcess, type Owner, removeRunFolder, takeOwnership } from "./run-folder.ts";
import { ProgramError, runProgram } from "./run-program.ts";

export interface NetworkOptions {
  /** Where nodes keep their data: by it the cluster is known again. */
  readonly rootDir: string;
  /** Whether it may start again with the same data. */
  readonly isKept: boolean;
  readonly nodes: readonly string[];
  /** Undefined takes one that is free. */
  readonly range: string | undefined;
  /** The addresses of Pods and Services, which the nodes' own must not be among. */
  readonly clusterCidrs: readonly string[];
  readonly serviceCidrs: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Disposing of it removes whatever there is of it. */
export interface OpenNetwork extends AsyncDisposable {
  readonly plan: NetworkPlan;
}

/** @throws StartError for what is missing on this machine, for ranges that overlap, and for nodes that are another process' */
export async function openNetwork(options: NetworkOptions): Promise<OpenNetwork> {
  checkMachine();
  const { rootDir, isKept, nodes, clusterCidrs, clock, log } = options;
  mkdirSync(rootDir, { recursive: true, mode: 0o750 });
  const id = clusterId(realpathSync(rootDir));
  try {
    await removeAbandoned(id, options);
    const former = formerOwner(id);
    const range = await chosenRange(id, options, former);
    const plan = planNetwork({ id, range, hasIpv6: clusterCidrs.some((one) => one.includes(":")), nodes });
    if (former !== undefined) await clearFormer(plan, former, options);
    takeOwnership(id, { rootDir, range, isKept, nodes });
    const { forwards } = await ensureNetwork(plan, { clusterCidrs });
    if (!forwards) log.info({}, "this machine forwards no packets (net.ipv4.ip_forward): nodes reach it and each other, and nothing else");
    return { plan, [Symbol.asyncDispose]: () => removeCluster(id, { rootDir, nodes }, clock) };
  } catch (error) {
    if (error instanceof ProgramError)
      throw new StartError(`cannot make a network for ${nodes.length} nodes: ${messageOf(error)}`, { cause: error });
    throw error;
  }
}

/** What a process that was killed has left of the nodes of this folder. @throws StartError where one that runs has them */
export async function removeFormer(rootDir: string, { clock, log }: Pick<NetworkOptions, "clock" | "log">): Promise<void> {
  const id = clusterId(realpathSync(rootDir));
  const former = formerOwner(id);
  if (former === undefined) return;
  log.info({ nodes: former.nodes }, "removing the nodes of a process that was killed");
  await removeCluster(id, former, clock);
}

/** What is left of clusters that nobody will start again. */
async function removeAbandoned(own: string, { clock, log }: NetworkOptions): Promise<void> {
  for (const { id, owner } of abandoned())
    if (id !== own)
      await removeCluster(id, owner, clock).catch((error: unknown) =>
        log.warn({ id, error }, "failed to remove the nodes of a process that was killed"),
      );
}

async function chosenRange(id: string, { range, clusterCidrs, serviceCidrs }: NetworkOptions, former: Owner | undefined): Promise<string> {
  const routes = JSON.parse((await runProgram(["ip", "-json", "route", "show", "table", "all"])) || "[]");
  const ofCluster = [...clusterCidrs, ...serviceCidrs].filter((one) => !one.includes(":"));
  const used = [...rangesInUse(routes, networkNames(id).bridge), ...ofCluster];
  if (range === undefined) {
    const isFree = former !== undefined && overlapping(former.range, used).length === 0;
    return isFree ? former.range : chooseRange(id, used);
  }
  const [taken] = overlapping(range, used);
  if (taken !== undefined) throw new StartError(`--node-range ${range} overlaps ${taken}, which is in use on this machine`);
  return range;
}

/** What a process that was killed has left: it is used again where it is as it should be, and else removed. */
async function clearFormer(plan: NetworkPlan, former: Owner, { clock, log }: NetworkOptions): Promise<void> {
  const isSame = former.range === plan.range && (await isNetworkThere(plan));
  if (!isSame) return await removeCluster(plan.id, former, clock);
  log.info({ nodes: former.nodes }, "found the nodes of a process that was killed");
  const wanted = plan.nodes.map(({ name }) => name);
  const before = planNetwork({ ...plan, hasIpv6: plan.gateway6 !== undefined, nodes: former.nodes }).nodes;
  for (const node of before)
    if (!wanted.includes(node.name)) {
      await endNode(plan.id, former.rootDir, node.name, clock);
      await removeNode(node);
    }
}

type Known = Pick<Owner, "rootDir" | "nodes">;

/** With all that runs in it. @throws ProgramError */
async function removeCluster(id: string, { rootDir, nodes }: Known, clock: Clock): Promise<void> {
  await Promise.all(nodes.map((node) => endNode(id, rootDir, node, clock)));
  await removeNetwork(id);
  removeRunFolder(id);
}

/** Whatever is left of it: in order, it was stopped before. */
async function endNode(id: string, rootDir: string, node: string, clock: Clock): Promise<void> {
  const folder = nodeFolder(id, node);
  const dataFolder = nodeDataFolder(rootDir, node);
  for (const name of ["kubelet", "containerd"]) {
    const noted = notedProcess(folder, name);
    if (noted !== undefined) await endProcess(noted, { clock, graceMs: stopMs });
  }
  const { socket } = containerdPaths(folder, dataFolder);
  await Promise.all(containerProcesses(socket).map((one) => endProcess(one, { clock, graceMs: 0 })));
  for (const place of [folder, dataFolder]) await unmountBelow(place);
  await removeNodeCgroups(id, node, clock);
}
