import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, configMaps } from "@coxswain/client";
import { Collector } from "./collector.ts";
import { DependencyGraph } from "./graph.ts";
import { KnownAbsent } from "./known-absent.ts";
import type { Fate } from "./node.ts";

const asked = new Error("the server was asked");

/** Any use of it fails. */
const client = {
  resource: () => {
    throw asked;
  },
} as Pick<Client, "resource"> as Client;

function collectorOf(fate: Fate, isBlind: boolean): Collector {
  const graph = new DependencyGraph();
  graph.observe({ ref: configMaps, uid: "o", name: "o", namespace: "a", owners: [], fate });
  return new Collector({ client, graph, absent: new KnownAbsent(), check: () => undefined, isBlind: () => isBlind });
}

const { signal } = new AbortController();

for (const fate of ["foreground", "orphan"] as const) {
  test(`${fate}: nobody is let go while a watch is interrupted`, async () => {
    assert.equal(await collectorOf(fate, true).look("o", 0, signal), "unseen");
  });

  test(`${fate}: a watch that never comes back holds nobody up for ever`, async () => {
    await assert.rejects(collectorOf(fate, true).look("o", 13, signal), asked);
  });

  test(`${fate}: with all in sight it goes`, async () => {
    await assert.rejects(collectorOf(fate, false).look("o", 0, signal), asked);
  });
}

test("what has owners that are there costs no request", async () => {
  assert.equal(await collectorOf("stays", false).look("o", 0, signal), "done");
  assert.equal(await collectorOf("going", false).look("o", 0, signal), "done");
});
