import type { NodeOptions } from "../options/node-options.ts";
import type { ChosenRuntime } from "./choose-runtime.ts";

/** What the nodes of a process are called: as the machine, or counted where there are several or simulated ones. */
export function nodeNames(
  { nodes, nodeName }: Pick<NodeOptions, "nodes" | "nodeName">,
  { kind }: Pick<ChosenRuntime, "kind">,
  hostname: string,
): readonly [string, ...string[]] {
  if (kind !== "simulated" && nodes === 1) return [nodeName ?? hostname];
  if (nodes === 1 && nodeName !== undefined) return [nodeName];
  return ["node-1", ...Array.from({ length: nodes - 1 }, (_, i) => `node-${i + 2}`)];
}
