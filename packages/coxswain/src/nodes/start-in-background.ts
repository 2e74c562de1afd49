/** Nodes beside the API server, in its process. */
import type { Metrics } from "@coxswain/apiserver";
import type { Connect } from "../components/start-component.ts";
import { type BackgroundComponent, startInBackground } from "../components/start-in-background.ts";
import type { ChosenNodes } from "./start-connected-nodes.ts";

export interface NodesInBackground extends ChosenNodes {
  readonly metrics: Metrics;
}

export function startNodesInBackground(connect: Connect, { metrics, ...nodes }: NodesInBackground): BackgroundComponent {
  const { clock, log } = nodes;
  const start = async () => {
    const { startConnectedNodes } = await import("./start-connected-nodes.ts");
    return await startConnectedNodes(connect, nodes);
  };
  return startInBackground(start, { name: "nodes", metrics, clock, log });
}
