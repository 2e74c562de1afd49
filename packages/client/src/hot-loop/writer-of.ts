/** Who made a change, by what managed fields say before and after it. */
import { deepEqual, type KubeObject } from "@coxswain/machinery";
import type { Step } from "./changed-leaves.ts";

type Entry = NonNullable<NonNullable<KubeObject["metadata"]>["managedFields"]>[number];

/** The name of a field manager; empty when it is unknown. */
export function writerOf(before: KubeObject, after: KubeObject, path: readonly Step[]): string {
  const old = before.metadata?.managedFields ?? [];
  const now = after.metadata?.managedFields ?? [];
  const changed = now.filter((entry) => !old.some((one) => deepEqual(one, entry)));
  const shares = now.map((entry) => ({ entry, share: shareOf(entry.fieldsV1, path) }));
  const maxShare = Math.max(0, ...shares.map(({ share }) => share));
  const owners = maxShare === 0 ? [] : shares.filter(({ share }) => share === maxShare).map(({ entry }) => entry);
  // Two writes of one manager within a second leave the same entry.
  const writer = owners.find((owner) => changed.includes(owner)) ?? owners.at(-1) ?? newest(changed) ?? newest(now);
  return writer?.manager ?? "";
}

const newest = (entries: readonly Entry[]): Entry | undefined =>
  entries.reduce<Entry | undefined>((last, entry) => ((entry.time ?? "") >= (last?.time ?? "") ? entry : last), undefined);

/** How many steps towards a field, or something around it, are in the set; 0 when neither is. */
function shareOf(fields: unknown, path: readonly Step[], depth = 0): number {
  if (typeof fields !== "object" || fields === null) return 0;
  const set = fields as Readonly<Record<string, unknown>>;
  const [step, ...rest] = path;
  if (step === undefined || Object.keys(set).length === 0) return depth;
  if (typeof step === "string") return shareOf(set[`f:${step}`], rest, depth + 1);
  const below = Object.entries(set).find(([key]) => key.startsWith("k:") && isOf(key.slice(2), step));
  return shareOf(below?.[1], rest, depth + 1);
}

function isOf(key: string, item: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(JSON.parse(key) as object).every(([name, value]) => deepEqual(item[name], value));
}
