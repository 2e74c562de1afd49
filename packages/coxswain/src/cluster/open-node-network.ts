/** The network of nodes with network namespaces of their own: there before the server listens in it. */
import { hostname } from "node:os";
import type { Log } from "@coxswain/apiserver";
import type { Clock } from "@coxswain/machinery";
import { areNamespaced } from "../nodes/choose-runtime.ts";
import type { OpenNetwork } from "../nodes/namespaces/open-network.ts";
import { nodeNames } from "../nodes/node-names.ts";
import type { Options } from "../options/cluster-options.ts";

interface ForNetwork {
  readonly rootDir: string;
  readonly isKept: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Undefined where nodes have no network namespaces of their own. @throws StartError */
export async function openNodeNetwork({ node }: Options, { rootDir, isKept, ...observe }: ForNetwork): Promise<OpenNetwork | undefined> {
  if (node === undefined || !areNamespaced(node)) return undefined;
  const { openNetwork } = await import("../nodes/namespaces/open-network.ts");
  const nodes = nodeNames(node, { kind: "cri" }, hostname());
  return await openNetwork({
    ...observe,
    rootDir,
    isKept: isKept || node.rootDir !== undefined,
    nodes,
    range: node.nodeRange,
    podRange: "10.244.0.0/16",
    serviceRange: "10.96.0.0/12",
  });
}
