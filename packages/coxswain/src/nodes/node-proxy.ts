/** The Service proxy of one node, in the process of the API server. The node may have a network namespace of its own. */
import { networkInterfaces } from "node:os";
import type { ApiServer } from "@coxswain/apiserver";
import { conntrackProgram, createProxy, type DetectLocal, ipFamilies, nftProgram, removeTables } from "@coxswain/proxy";
import type { InProcessComponent } from "../components/start-component.ts";
import type { ComponentDependencies } from "../components/start-in-process.ts";
import { startTasks } from "../components/start-tasks.ts";
import { listenInside } from "./namespaces/listen-inside.ts";
import { programPath } from "./namespaces/run-program.ts";

/** Of which node, and where. */
export interface NodeProxySettings {
  readonly nodeName: string;
  /** How packets of the node's own Pods are told from others. */
  readonly detectLocal: DetectLocal;
  /** Needed where bridges keep packets between Pods from the rules: answers then come back through the node. */
  readonly masqueradeAll: boolean;
  /** The words that run a program in the network namespace of the node, as `ip netns exec NAME`; none: this process is in it. */
  readonly inside?: readonly string[];
  /** Whether the rules go when the proxy ends in order, as those of a cluster that is gone then. Default: they stay, so that Services go on. */
  readonly removesRules?: boolean;
}

/** Who asks: `system:kube-proxy`, with the rights of the default role `system:node-proxier`. */
export const proxyAgent = "kube-proxy";

/** Which bit of a packet's mark is the proxy's: the one that kube-proxy takes. */
export const masqueradeBit = 14;

/** Where kube-proxy answers /healthz and /livez. */
const healthPort = 10_256;

/** As kube-proxy's defaults; milliseconds. */
const periods = { syncMs: 30_000, minSyncMs: 1_000 };

/** It runs until it is disposed of. */
export function startNodeProxy(
  server: Pick<ApiServer, "handle">,
  { nodeName, detectLocal, masqueradeAll, inside = [], removesRules = false }: NodeProxySettings,
  dependencies: ComponentDependencies,
): InProcessComponent {
  const program = (name: string): readonly string[] => [...inside, programPath(name) ?? name];
  // A namespace has all ports for itself; on a machine another proxy may have the one of its health.
  const health =
    inside.length === 0 ? { healthz: undefined } : { healthz: { host: "0.0.0.0", port: healthPort }, listen: listenInside(inside) };
  const nft = nftProgram(program("nft"));
  return startTasks(
    server,
    {
      name: "proxy",
      agent: proxyAgent,
      tasks: () => [
        createProxy({
          ...periods,
          configuration: { nodeName, detectLocal, masqueradeAll, masqueradeBit, nodePortAddresses: [] },
          nft,
          conntrack: conntrackProgram(program("conntrack")),
          interfaceAddresses,
          ...health,
        }),
      ],
      remove: removesRules ? () => removeTables(nft, ipFamilies) : undefined,
    },
    dependencies,
  );
}

/** Of this process's network namespace. */
export const interfaceAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
