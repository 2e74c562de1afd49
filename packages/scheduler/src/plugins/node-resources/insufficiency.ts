/** What a node has too little of. */
import { mebibyte } from "../../framework/new-node-info.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import type { Resources } from "../../framework/resources.ts";
import type { Status } from "../../framework/status.ts";

/** Decided by the minimum of what is free. False: the exact check decides. */
export const surelyFits = (wanted: Readonly<Resources>, node: NodeInfo): boolean =>
  node.freePods > 0 &&
  wanted.milliCpu <= node.freeMilliCpu &&
  wanted.memory <= node.freeMebibytes * mebibyte &&
  wanted.ephemeralStorage <= node.freeStorageMebibytes * mebibyte &&
  wanted.scalars === undefined;

/** Undefined: the Pod fits. Unresolvable when the node is too small even while it is empty. */
export function insufficiency(
  wanted: Readonly<Resources>,
  { allocatable, requested, pods }: Pick<NodeInfo, "allocatable" | "requested" | "pods">,
  ignores: (resource: string) => boolean,
): Status | undefined {
  let lacks = 0;
  let tooSmall = false;
  if (pods.length + 1 > allocatable.pods) lacks |= lacksPods;
  if (wanted.milliCpu > 0 && wanted.milliCpu > allocatable.milliCpu - requested.milliCpu) {
    lacks |= lacksCpu;
    tooSmall ||= wanted.milliCpu > allocatable.milliCpu;
  }
  if (wanted.memory > 0 && wanted.memory > allocatable.memory - requested.memory) {
    lacks |= lacksMemory;
    tooSmall ||= wanted.memory > allocatable.memory;
  }
  if (wanted.ephemeralStorage > 0 && wanted.ephemeralStorage > allocatable.ephemeralStorage - requested.ephemeralStorage) {
    lacks |= lacksStorage;
    tooSmall ||= wanted.ephemeralStorage > allocatable.ephemeralStorage;
  }
  let others: string[] | undefined;
  for (const [name, amount] of wanted.scalars ?? none) {
    const has = allocatable.scalars?.get(name) ?? 0;
    if (amount === 0 || amount <= has - (requested.scalars?.get(name) ?? 0) || ignores(name)) continue;
    others ??= [];
    others.push(`Insufficient ${name}`);
    tooSmall ||= amount > has;
  }
  if (lacks === 0 && others === undefined) return undefined;
  const code = tooSmall ? "UnschedulableAndUnresolvable" : "Unschedulable";
  return others === undefined ? constants[code][lacks] : { code, reasons: [...reasonsOf(lacks), ...others] };
}

const none: ReadonlyMap<string, number> = new Map();

const lacksPods = 1;
const lacksCpu = 2;
const lacksMemory = 4;
const lacksStorage = 8;

const reasonsOf = (lacks: number): string[] =>
  ["Too many pods", "Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage"].filter(
    (_, bit) => (lacks & (1 << bit)) !== 0,
  );

const constantsOf = (code: "Unschedulable" | "UnschedulableAndUnresolvable"): readonly Status[] =>
  Array.from({ length: 16 }, (_, lacks) => ({ code, reasons: reasonsOf(lacks) }));

const constants = {
  Unschedulable: constantsOf("Unschedulable"),
  UnschedulableAndUnresolvable: constantsOf("UnschedulableAndUnresolvable"),
};
