/**
 * When a node has too little of something left: `memory.available<100Mi,nodefs.available<10%`.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/
 */
import { parseQuantity, quantityOf } from "@coxswain/machinery";

export const signals = [
  "memory.available",
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "pid.available",
] as const;

export type Signal = (typeof signals)[number];

/** The least that has to be left of a resource before Pods are evicted. */
export interface Threshold {
  readonly signal: Signal;
  /** An amount, or a share of the capacity. */
  readonly least: { readonly amount: number } | { readonly share: number };
}

/** What there is of a signal's resource: bytes, inodes or processes. */
export interface Level {
  readonly available: number;
  readonly capacity: number;
}

export type Levels = ReadonlyMap<Signal, Level>;

/**
 * Memory alone: disks that are nearly full are nothing unusual on the machines of developers, and whoever wants their nodes
 * to care says so. kind does the same.
 */
export const defaultThresholds: readonly Threshold[] = [{ signal: "memory.available", least: { amount: 100 * 1024 * 1024 } }];

/**
 * Reads thresholds as kubelets take them: `memory.available<100Mi,nodefs.available<10%`.
 * @throws RangeError for what it does not understand
 */
export function parseThresholds(text: string): Threshold[] {
  const statements = text.split(",").filter((part) => part !== "");
  const thresholds = statements.map(parseThreshold);
  const twice = thresholds.find(({ signal }, i) => thresholds.findIndex((one) => one.signal === signal) !== i);
  if (twice !== undefined) throw new RangeError(`found duplicate eviction threshold for signal ${twice.signal}`);
  return thresholds;
}

function parseThreshold(text: string): Threshold {
  const [name = "", value = "", ...rest] = text.split("<");
  const signal = signals.find((one) => one === name);
  if (rest.length > 0 || value === "")
    throw new RangeError(`invalid eviction threshold syntax ${text}, expected <signal><operator><value>`);
  if (signal === undefined) throw new RangeError(`unsupported eviction signal ${name}`);
  if (value.endsWith("%")) {
    const share = Number(value.slice(0, -1)) / 100;
    if (!(share >= 0 && share <= 1)) throw new RangeError(`eviction percentage threshold ${signal} must be >= 0% and <= 100%: ${value}`);
    return { signal, least: { share } };
  }
  const amount = parseQuantity(value);
  if (amount === undefined || amount.sign() < 0)
    throw new RangeError(`eviction threshold ${signal} must be a quantity that is not negative: ${value}`);
  return { signal, least: { amount: amount.toNumber() } };
}

export interface Shortage {
  readonly signal: Signal;
  readonly available: number;
  readonly least: number;
}

/** Those signals whose threshold is met; memory first, as there a node dies soonest. */
export function shortages(thresholds: readonly Threshold[], levels: Levels): Shortage[] {
  return thresholds
    .flatMap(({ signal, least }): Shortage[] => {
      const level = levels.get(signal);
      if (level === undefined) return [];
      const amount = "amount" in least ? least.amount : least.share * level.capacity;
      return level.available < amount ? [{ signal, available: level.available, least: amount }] : [];
    })
    .sort((a, b) => signals.indexOf(a.signal) - signals.indexOf(b.signal));
}

export type NodePressure = "MemoryPressure" | "DiskPressure" | "PIDPressure";

export function pressureOf(signal: Signal): NodePressure {
  if (signal === "memory.available") return "MemoryPressure";
  return signal === "pid.available" ? "PIDPressure" : "DiskPressure";
}

/** As events and Pods name it. */
export function resourceOf(signal: Signal): "memory" | "ephemeral-storage" | "inodes" | "pids" {
  switch (signal) {
    case "memory.available":
      return "memory";
    case "pid.available":
      return "pids";
    case "nodefs.inodesFree":
    case "imagefs.inodesFree":
      return "inodes";
    default:
      return "ephemeral-storage";
  }
}

/** An amount as Kubernetes writes it in messages. */
export const amountText = (signal: Signal, amount: number): string =>
  quantityOf(Math.floor(amount), signal.endsWith(".available") && signal !== "pid.available" ? "BinarySI" : "DecimalSI").toString();
