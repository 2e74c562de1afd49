/** How values of JSON get at the parts that they are made of. */
import type { CelValue } from "@coxswain/cel";
import type { ValueNode } from "./value-node.ts";

export interface ValueReader {
  /** @throws CelError when the JSON is not what the schema says */
  read(json: unknown, node: ValueNode): CelValue;
  /** Counts values that are looked at without being charged for. @throws CelCostError */
  spend(values: number): void;
}
