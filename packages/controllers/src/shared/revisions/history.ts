/** The revisions of one object, in the order in which they were current. */
import { type Client, controllerRevisions, unlessNotFound } from "@coxswain/client";
import { millisOf } from "@coxswain/machinery";
import type { ControllerRevision } from "./revision-data.ts";

/** A new list, the newest last. */
export const inRevisionOrder = (revisions: readonly ControllerRevision[]): ControllerRevision[] =>
  revisions.toSorted((a, b) => orderOf(a, b) || createdAt(a) - createdAt(b) || (nameOf(a) < nameOf(b) ? -1 : 1));

const orderOf = ({ revision: a }: ControllerRevision, { revision: b }: ControllerRevision): number => (a < b ? -1 : a > b ? 1 : 0);

/** Of what comes after all of them. */
export function nextRevisionNumber(revisions: readonly ControllerRevision[]): number {
  const highest = inRevisionOrder(revisions).at(-1)?.revision ?? 0;
  return int64(BigInt(highest) + 1n);
}

/** What JSON has as an int64 comes, and goes, as a bigint where a number is not exact; types call both a number. */
function int64(value: bigint): number {
  const wrapped = BigInt.asIntN(64, value);
  const small = Number(wrapped);
  return Number.isSafeInteger(small) ? small : (wrapped as unknown as number);
}

export const nameOf = ({ metadata }: ControllerRevision): string => metadata?.name ?? "";

const createdAt = ({ metadata }: ControllerRevision): number => millisOf(metadata?.creationTimestamp) ?? 0;

export interface RevisionWriting {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** What was once current is so again. */
export const renumber = ({ client, signal }: RevisionWriting, revision: ControllerRevision, number: number): Promise<ControllerRevision> =>
  client.resource(controllerRevisions, revision.metadata?.namespace).update({ ...revision, revision: number }, { signal });

/** One after the other, first the oldest: what fails leaves no gap. */
export async function forget({ client, signal }: RevisionWriting, revisions: readonly ControllerRevision[]): Promise<void> {
  for (const { metadata: { namespace, name = "", uid } = {} } of revisions) {
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    const deleted = client.resource(controllerRevisions, namespace).delete(name, { ...preconditions, signal });
    await unlessNotFound(deleted, controllerRevisions, name);
  }
}
