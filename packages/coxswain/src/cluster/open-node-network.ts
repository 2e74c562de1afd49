/** The network of nodes with network namespaces of their own: there before the server listens in it. */
import { accessSync, constants, existsSync } from "node:fs";
import { hostname } from "node:os";
import type { Log, ServiceIpRanges } from "@coxswain/apiserver";
import type { Clock } from "@coxswain/machinery";
import { areNamespaced } from "../nodes/choose-runtime.ts";
import type { OpenNetwork } from "../nodes/namespaces/open-network.ts";
import { runFolders } from "../nodes/namespaces/run-folder.ts";
import { nodeNames } from "../nodes/node-names.ts";
import type { Options } from "../options/cluster-options.ts";
import { startErrorOf } from "../process/start-error.ts";
import { defaultClusterCidrs } from "./choose-components.ts";

interface ForNetwork {
  readonly rootDir: string;
  readonly isKept: boolean;
  readonly serviceIpRanges: Pick<ServiceIpRanges, "cidrs">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Nodes that a process left when it was killed, of a cluster that now has others. */
async function removeFormerNodes(rootDir: string, observe: Pick<ForNetwork, "clock" | "log">): Promise<void> {
  // Most have never had such nodes: what removes them is not loaded.
  if (process.platform !== "linux" || !existsSync(runFolders) || !existsSync(rootDir)) return;
  const { removeFormer } = await import("../nodes/namespaces/open-network.ts");
  await removeFormer(rootDir, observe);
}

function checkReadable(archive: string): void {
  try {
    accessSync(archive, constants.R_OK);
  } catch (error) {
    throw startErrorOf("cannot read what --node-images names", error);
  }
}

/** Undefined where nodes have no network namespaces of their own. @throws StartError */
export async function openNodeNetwork(
  { node, clusterCidrs }: Options,
  { rootDir, isKept, serviceIpRanges, ...observe }: ForNetwork,
): Promise<OpenNetwork | undefined> {
  if (node === undefined || !areNamespaced(node)) {
    await removeFormerNodes(rootDir, observe);
    return undefined;
  }
  const { openNetwork } = await import("../nodes/namespaces/open-network.ts");
  for (const archive of node.nodeImages ?? []) checkReadable(archive);
  const nodes = nodeNames(node, { kind: "cri" }, hostname());
  return await openNetwork({
    ...observe,
    rootDir,
    isKept: isKept || node.rootDir !== undefined,
    nodes,
    range: node.nodeRange,
    clusterCidrs: clusterCidrs ?? defaultClusterCidrs,
    serviceCidrs: serviceIpRanges.cidrs,
  });
}
