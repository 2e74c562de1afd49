import { isRecord } from "../plugin-args.ts";
import type { ScoredResource } from "./allocation.ts";

/** CPU and memory alike, when nothing is given; weights are 1 where they are left out. */
export function readResources(given: unknown): readonly ScoredResource[] {
  if (!Array.isArray(given) || given.length === 0) return ["cpu", "memory"].map((name) => ({ name, weight: 1 }));
  return given.filter(isRecord).map(({ name, weight }) => ({ name: String(name ?? ""), weight: Number(weight ?? 0) || 1 }));
}
