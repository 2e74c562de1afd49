/** Amounts as doubles: exact up to 2^53, which no node reaches, and quick to add and compare. */
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

export const noResources = (): Resources => ({ milliCpu: 0, memory: 0, ephemeralStorage: 0, pods: 0, scalars: undefined });

export function addResources(to: Resources, amount: Readonly<Resources>, sign: 1 | -1): void {
  to.milliCpu += sign * amount.milliCpu;
  to.memory += sign * amount.memory;
  to.ephemeralStorage += sign * amount.ephemeralStorage;
  to.pods += sign * amount.pods;
  if (amount.scalars === undefined) return;
  to.scalars ??= new Map();
  for (const [name, value] of amount.scalars) to.scalars.set(name, (to.scalars.get(name) ?? 0) + sign * value);
}
