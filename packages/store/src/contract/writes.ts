/** Writes as the contract's tests say them. */
import type { Compare, Revision, Store, Write, WriteResult } from "../storage/store.ts";
import { bytesOf } from "./model.ts";
import type { DriverTraits } from "./store-contract.ts";

export const rev = (n: number) => n as Revision;
export const put = (key: string, value: string, expect: number | "absent"): Write => ({
  op: "put",
  key,
  value: bytesOf(value),
  expect: expect as Revision,
});
export const putWhile = (key: string, value: string, ...compare: readonly Compare[]): Write => ({
  op: "put",
  key,
  value: bytesOf(value),
  expect: "absent",
  compare,
});
export const remove = (key: string, expect: number): Write => ({ op: "delete", key, expect: rev(expect) });

/** At once where they are decided in order even so. */
export async function writeInOrder(
  store: Store,
  ops: readonly Write[],
  { decidesInOrder }: Required<DriverTraits>,
): Promise<WriteResult[]> {
  return decidesInOrder ? await Promise.all(ops.map((op) => store.write(op))) : await writeAll(store, ops);
}

export async function writeAll(store: Store, ops: readonly Write[]): Promise<WriteResult[]> {
  const results: WriteResult[] = [];
  for (const op of ops) results.push(await store.write(op));
  return results;
}
