/** How many of something there are on each node, by slot; nodes with none are left out. */
export type SlotCounts = Map<number, number>;

export function countSlot(counts: SlotCounts, slot: number, sign: 1 | -1): void {
  const count = (counts.get(slot) ?? 0) + sign;
  if (count === 0) counts.delete(slot);
  else counts.set(slot, count);
}

/** The sum of all, in an array by slot. */
export function sumBySlot(all: Iterable<{ readonly counts: SlotCounts }>, length: number): Int32Array {
  const sum = new Int32Array(length);
  for (const { counts } of all) for (const [slot, count] of counts) sum[slot] = (sum[slot] ?? 0) + count;
  return sum;
}
