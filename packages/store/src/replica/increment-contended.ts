/** For tests: increments of one counter by several threads, each of which checks that it sees what all have acknowledged. */
import type { Store } from "../storage/store.ts";

export interface Incremented {
  readonly increments: number;
  /** What was seen that must not be. */
  readonly violations: readonly string[];
  /** Values in the order in which a subscriber has got them. */
  readonly watched: readonly number[];
}

const key = "/counter";

/** @param acknowledged the greatest value that any thread has written and been told so */
export async function incrementContended(store: Store, acknowledged: Int32Array, times: number): Promise<Incremented> {
  const violations: string[] = [];
  const watched: number[] = [];
  let seen = store.revision;
  using _ = store.subscribe("/", { after: store.revision }, ({ revision, events }) => {
    if (revision <= seen) violations.push(`revision ${revision} came after ${seen}`);
    seen = revision;
    for (const event of events) if (event.type === "put") watched.push(numberOf(event.entry.value));
  });
  for (let increments = 0; increments < times; ) {
    const before = Atomics.load(acknowledged, 0);
    const { entry } = await store.get(key);
    const value = entry === undefined ? 0 : numberOf(entry.value);
    if (value < before) violations.push(`read ${value} after ${before} was acknowledged`);
    const result = await store.write({ op: "put", key, value: Buffer.from(String(value + 1)), expect: entry?.modified ?? "absent" });
    if (!result.ok) continue;
    increments++;
    for (let known = Atomics.load(acknowledged, 0); known < value + 1; known = Atomics.load(acknowledged, 0))
      Atomics.compareExchange(acknowledged, 0, known, value + 1);
  }
  return { increments: times, violations, watched };
}

const numberOf = (value: Uint8Array): number => Number(Buffer.from(value).toString());
