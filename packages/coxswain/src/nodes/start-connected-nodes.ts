/** Nodes whose clients go the way to the server that their component was given. */
import { type Client, createClient } from "@coxswain/client";
import { reportRefusals } from "../components/report-refusals.ts";
import type { Connect, InProcessComponent, SystemDependencies } from "../components/start-component.ts";
import type { InProcessUser } from "../in-process/in-process-callers.ts";
import { fleetUser, nodeUser } from "./node-users.ts";
import type { NodesSettings } from "./nodes-settings.ts";
import { startNodes } from "./start-nodes.ts";

export interface ChosenNodes
  extends SystemDependencies,
    Omit<NodesSettings, "clientFor" | "fleetClient" | "random" | "log" | "informers"> {}

export async function startConnectedNodes(connect: Connect, settings: ChosenNodes): Promise<InProcessComponent> {
  const { clock, random, log } = settings;
  const clients = new Map<string, Client>();
  const clientAs = (user: InProcessUser): Client => {
    const known = clients.get(user.name);
    if (known !== undefined) return known;
    const transport = reportRefusals(connect(user), { user: user.name, log });
    const client = createClient({ transport, clock, random, fieldManager: "kubelet" });
    clients.set(user.name, client);
    return client;
  };
  const nodes = await startNodes({ ...settings, clientFor: (node) => clientAs(nodeUser(node)), fleetClient: () => clientAs(fleetUser) });
  return {
    metrics: () => nodes.metrics(),
    healthy: () => nodes.healthy(),
    [Symbol.asyncDispose]: async () => {
      await nodes[Symbol.asyncDispose]();
      await Promise.all([...clients.values()].map((client) => client[Symbol.asyncDispose]()));
    },
  };
}
