import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, configMaps, type KubeObject, type ResourceRef, secrets } from "@coxswain/client";
import { notFound, unknownPath } from "@coxswain/machinery";
import { AbsentOwnerCache } from "./absent-owner-cache.ts";
import { GarbageCollector } from "./attempt-to-delete.ts";
import { DependencyGraph } from "./dependency-graph.ts";
import type { DeletionState } from "./node.ts";

const asked = new Error("the server was asked");

/** Any use of it fails. */
const client = {
  resource: () => {
    throw asked;
  },
} as Pick<Client, "resource"> as Client;

function collectorOf(deletionState: DeletionState, isBlind: boolean): GarbageCollector {
  const graph = new DependencyGraph();
  graph.observe({ ref: configMaps, uid: "o", name: "o", namespace: "a", owners: [], deletionState });
  return new GarbageCollector({ client, graph, absent: new AbsentOwnerCache(), check: () => undefined, isBlind: () => isBlind });
}

const { signal } = new AbortController();

for (const deletionState of ["foreground", "orphan"] as const) {
  test(`${deletionState}: no finalizer is removed while a watch is interrupted`, async () => {
    assert.equal(await collectorOf(deletionState, true).attemptToDelete("o", 0, signal), "unseen");
  });

  test(`${deletionState}: a watch that never comes back delays no finalizer for ever`, async () => {
    await assert.rejects(collectorOf(deletionState, true).attemptToDelete("o", 13, signal), asked);
  });

  test(`${deletionState}: with all watches the finalizer is removed`, async () => {
    await assert.rejects(collectorOf(deletionState, false).attemptToDelete("o", 0, signal), asked);
  });
}

test("what has owners that are there costs no request", async () => {
  assert.equal(await collectorOf("live", false).attemptToDelete("o", 0, signal), "done");
  assert.equal(await collectorOf("going", false).attemptToDelete("o", 0, signal), "done");
});

const reference = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "o" };
const dependent = { metadata: { name: "d", namespace: "a", uid: "d", resourceVersion: "1", ownerReferences: [reference] } };

/** A server of the dependent, which answers for its owner what the test gives it. */
function servingDependent(ofOwner: () => KubeObject): { readonly client: Client; readonly deleted: string[] } {
  const deleted: string[] = [];
  const resource = (ref: ResourceRef) => ({
    get: async () => (ref === secrets ? dependent : ofOwner()),
    delete: async ({ name }: { readonly name: string }) => void deleted.push(name),
  });
  return { client: { resource, refOf: async () => configMaps } as unknown as Client, deleted };
}

const answers: readonly { name: string; first: Error; next: KubeObject | Error; fails: boolean; deleted: readonly string[] }[] = [
  {
    name: "the very owner is absent",
    first: notFound(configMaps, "o"),
    next: { metadata: { uid: "o" } },
    fails: false,
    deleted: ["d", "d"],
  },
  { name: "the version is not served", first: unknownPath(), next: { metadata: { uid: "o" } }, fails: true, deleted: [] },
  { name: "not served for a while", first: unknownPath(), next: notFound(configMaps, "o"), fails: true, deleted: ["d"] },
];
for (const { name, first, next, fails, deleted: expected } of answers)
  test(`an owner that the server does not find: ${name}`, async () => {
    let answer: KubeObject | Error = first;
    const { client, deleted } = servingDependent(() => {
      if (answer instanceof Error) throw answer;
      return answer;
    });
    const graph = new DependencyGraph();
    graph.observe({ ref: secrets, uid: "d", name: "d", namespace: "a", owners: [reference], deletionState: "live" });
    const collector = new GarbageCollector({ client, graph, absent: new AbsentOwnerCache(), check: () => undefined, isBlind: () => false });
    if (fails) await assert.rejects(collector.attemptToDelete("d", 0, signal), first);
    else await collector.attemptToDelete("d", 0, signal);
    answer = next;
    await collector.attemptToDelete("d", 1, signal);
    assert.deepEqual(deleted, expected);
  });
