/** Nodes beside the API server, in its process. */
import type { ApiServer, Metrics } from "@coxswain/apiserver";
import { type Client, createClient } from "@coxswain/client";
import { reportRefusals } from "../components/report-refusals.ts";
import { type BackgroundComponent, startInBackground } from "../components/start-in-background.ts";
import type { ComponentDependencies } from "../components/start-in-process.ts";
import { inProcessTransport } from "../in-process/in-process-transport.ts";
import type { NodesSettings } from "./nodes-settings.ts";

export interface NodesInBackground extends ComponentDependencies, Omit<NodesSettings, "clientFor" | "random" | "log"> {
  readonly metrics: Metrics;
}

export function startNodesInBackground(server: Pick<ApiServer, "handle">, settings: NodesInBackground): BackgroundComponent {
  const { callers, clock, random, log, metrics } = settings;
  const clients = new Map<string, Client>();
  // Simulated nodes share their copies of all Pods and Nodes, which no node of Kubernetes may read.
  const isShared = settings.chosen.kind === "simulated";
  const clientFor = (node: string): Client => {
    const known = clients.get(node);
    if (known !== undefined) return known;
    const user = isShared
      ? { name: "system:simulated-nodes", groups: ["system:masters"] }
      : { name: `system:node:${node}`, groups: ["system:nodes"] };
    const transport = reportRefusals(inProcessTransport(server, { user, callers }), { user: user.name, log });
    const client = createClient({ transport, clock, random, fieldManager: "kubelet" });
    clients.set(node, client);
    return client;
  };
  const start = async () => {
    const { startNodes } = await import("./start-nodes.ts");
    const nodes = await startNodes({ ...settings, clientFor });
    return {
      metrics: () => nodes.metrics(),
      healthy: () => nodes.healthy(),
      [Symbol.asyncDispose]: async () => {
        await nodes[Symbol.asyncDispose]();
        await Promise.all([...clients.values()].map((client) => client[Symbol.asyncDispose]()));
      },
    };
  };
  return startInBackground(start, { name: "nodes", metrics, clock, log });
}
