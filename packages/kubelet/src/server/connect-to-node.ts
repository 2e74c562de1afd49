import { type Duplex, duplexPair } from "node:stream";
import type { Clock } from "@coxswain/machinery";
import { answerRequests } from "./answer-requests.ts";
import { CpuRates } from "./cpu-rates.ts";
import type { ServedNode } from "./served-node.ts";
import { isUpgrade } from "./upgrades.ts";

export interface ConnectToNodeOptions {
  readonly clock: Clock;
  readonly log: { error(fields: object, message: string): void };
}

/** A connection to the kubelet of a node of this process, for plain HTTP: without a port, and whoever has it may do everything. */
export function connectToNode(node: ServedNode, { clock, log }: ConnectToNodeOptions): Duplex {
  const [near, far] = duplexPair();
  vanishTogether(near, far);
  vanishTogether(far, near);
  // Loaded when it is needed: with this module Node also makes its fetch, which takes a while.
  const server = process.getBuiltinModule("node:http").createServer({ shouldUpgradeCallback: isUpgrade });
  const served = { nodes: new Map([[node.name, node]]), clock, rates: new CpuRates() };
  answerRequests(server, { served, access: undefined, idleMs: undefined, log });
  server.emit("connection", far);
  return near;
}

/** As connections do that are cut off; one that has ended in order is known by its end. */
function vanishTogether(one: Duplex, other: Duplex): void {
  one.once("close", () => {
    if (!one.writableFinished || !one.readableEnded) other.destroy();
  });
}
