/** What is left in the end: all that must be the same whatever went wrong on the way. */
import assert from "node:assert/strict";
import type { ResourceRef } from "@coxswain/client";
import type { KubeObject } from "@coxswain/machinery";
import type { TestCluster } from "coxswain/testing";

export type Outcome = Readonly<Record<string, unknown>>;

/** Objects by name, without versions, uids and times. */
export async function objectsIn({ client }: TestCluster, refs: readonly ResourceRef[]): Promise<Outcome> {
  const lists = await Promise.all(refs.map((ref) => client.resource<KubeObject>(ref, "default").list()));
  const objects = lists.flatMap(({ items }, i) =>
    items.map((object) => [`${refs[i]?.resource} ${object.metadata?.name}`, lasting(object)]),
  );
  return Object.fromEntries(objects);
}

const passing = new Set(["uid", "resourceVersion", "creationTimestamp", "managedFields", "lastTransitionTime"]);

const lasting = (object: KubeObject): unknown =>
  JSON.parse(JSON.stringify(object, (key, value: unknown) => (passing.has(key) ? undefined : value)));

/** The first run is the one without faults, and says what each other must come to. */
export function sameEachTime(): (outcome: Outcome) => void {
  let first: Outcome | undefined;
  return (outcome) => {
    first ??= outcome;
    assert.deepEqual(outcome, first);
  };
}
