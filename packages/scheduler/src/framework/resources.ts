import { isScalarResource, type ResourceAmounts } from "@coxswain/api";
import { deepEqual } from "@coxswain/machinery";

/** Resources are amounts that Pods request and Nodes have: CPU in thousandths, bytes, and a number of Pods. */
export interface Resources {
  /** Thousandths of a CPU. */
  milliCpu: number;
  /** Bytes. */
  memory: number;
  /** Bytes. */
  ephemeralStorage: number;
  /** How many Pods; of a Pod itself 0. */
  pods: number;
  /** Extended resources, huge pages and whatever else has a name: whole units, or bytes. Undefined while there are none. */
  scalars: Map<string, number> | undefined;
}

/** Makes Resources of zero, to be added to. */
export const noResources = (): Resources => ({ milliCpu: 0, memory: 0, ephemeralStorage: 0, pods: 0, scalars: undefined });

/** Converts amounts by resource name. Resources that the scheduler does not count are left out. */
export function resourcesOf(amounts: ResourceAmounts): Resources {
  const result = noResources();
  for (const [name, amount] of amounts) {
    if (name === "cpu") result.milliCpu = Number(amount.milli());
    else if (name === "memory") result.memory = Number(amount.value());
    else if (name === "ephemeral-storage") result.ephemeralStorage = Number(amount.value());
    else if (name === "pods") result.pods = Number(amount.value());
    else if (isScalarResource(name)) {
      result.scalars ??= new Map();
      result.scalars.set(name, Number(amount.value()));
    }
  }
  return result;
}

/** Adds an amount to Resources in place, or subtracts it with sign -1. */
export function addResources(to: Resources, amount: Readonly<Resources>, sign: 1 | -1): void {
  to.milliCpu += sign * amount.milliCpu;
  to.memory += sign * amount.memory;
  to.ephemeralStorage += sign * amount.ephemeralStorage;
  to.pods += sign * amount.pods;
  if (amount.scalars === undefined) return;
  to.scalars ??= new Map();
  for (const [name, value] of amount.scalars) to.scalars.set(name, (to.scalars.get(name) ?? 0) + sign * value);
}

/** Copies Resources, their scalar resources too. */
export const copyResources = (from: Readonly<Resources>): Resources => ({
  milliCpu: from.milliCpu,
  memory: from.memory,
  ephemeralStorage: from.ephemeralStorage,
  pods: from.pods,
  scalars: from.scalars === undefined ? undefined : new Map(from.scalars),
});

/** Whether two amounts are equal in every resource. */
export const sameResources = (a: Readonly<Resources>, b: Readonly<Resources>): boolean =>
  a.milliCpu === b.milliCpu &&
  a.memory === b.memory &&
  a.ephemeralStorage === b.ephemeralStorage &&
  a.pods === b.pods &&
  deepEqual(Object.fromEntries(a.scalars ?? []), Object.fromEntries(b.scalars ?? []));
