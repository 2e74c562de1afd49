/** Nodes beside the API server, in its process. */
import type { ApiServer, Metrics } from "@coxswain/apiserver";
import { type Client, createClient } from "@coxswain/client";
import { simulatedNodesServiceAccount } from "../access/own-roles.ts";
import { reportRefusals } from "../components/report-refusals.ts";
import { type BackgroundComponent, startInBackground } from "../components/start-in-background.ts";
import type { ComponentDependencies } from "../components/start-in-process.ts";
import { type InProcessUser, systemServiceAccount } from "../in-process/in-process-callers.ts";
import { inProcessTransport } from "../in-process/in-process-transport.ts";
import type { NodesSettings } from "./nodes-settings.ts";

export interface NodesInBackground extends ComponentDependencies, Omit<NodesSettings, "clientFor" | "fleetClient" | "random" | "log"> {
  readonly metrics: Metrics;
}

export function startNodesInBackground(server: Pick<ApiServer, "handle">, settings: NodesInBackground): BackgroundComponent {
  const { callers, clock, random, log, metrics } = settings;
  const clients = new Map<string, Client>();
  const clientAs = (user: InProcessUser): Client => {
    const known = clients.get(user.name);
    if (known !== undefined) return known;
    const transport = reportRefusals(inProcessTransport(server, { user, callers }), { user: user.name, log });
    const client = createClient({ transport, clock, random, fieldManager: "kubelet" });
    clients.set(user.name, client);
    return client;
  };
  const clientFor = (node: string): Client => clientAs({ name: `system:node:${node}`, groups: ["system:nodes"] });
  const fleetClient = (): Client => clientAs(systemServiceAccount(simulatedNodesServiceAccount));
  const start = async () => {
    const { startNodes } = await import("./start-nodes.ts");
    const nodes = await startNodes({ ...settings, clientFor, fleetClient });
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
