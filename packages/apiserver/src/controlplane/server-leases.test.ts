import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import { createMemoryStore } from "@coxswain/store";
import { textOf } from "../storage/stored-object.ts";
import { ServerLeases } from "./server-leases.ts";

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

function setUp() {
  const clock = new ManualClock();
  const store = createMemoryStore({ clock });
  let changes = 0;
  const leases = () => new ServerLeases({ store, clock, log, onChange: () => changes++ });
  const generation = async (ip: string): Promise<number | undefined> => {
    const { entry } = await store.get(`/registry/masterleases/${ip}`);
    return entry === undefined ? undefined : JSON.parse(textOf(entry.value)).metadata.generation;
  };
  return { clock, store, leases, generation, changes: () => changes };
}

suite("leases of servers", () => {
  test("each server finds the addresses of all, in order", async () => {
    const { leases, changes } = setUp();
    const [one, two] = [leases(), leases()];
    await one.start("192.0.2.2");
    await two.start("192.0.2.1");
    assert.deepEqual(await one.addresses(), ["192.0.2.1", "192.0.2.2"]);
    assert.deepEqual(await two.addresses(), await one.addresses());
    assert.equal(changes(), 1);
    await two[Symbol.asyncDispose]();
    assert.deepEqual(await one.addresses(), ["192.0.2.2"]);
    await one[Symbol.asyncDispose]();
    assert.deepEqual(await one.addresses(), []);
  });

  test("a lease is written again every ten seconds, and differs each time", async () => {
    const { clock, leases, generation } = setUp();
    await using one = leases();
    await one.start("192.0.2.1");
    for (const expected of [1, 2, 3]) {
      assert.equal(await generation("192.0.2.1"), expected);
      clock.advance(10_000);
      await quiescence({ clock });
    }
  });

  test("no other lease is written once the server has left", async () => {
    const { clock, leases, generation } = setUp();
    const one = leases();
    await one.start("192.0.2.1");
    await one[Symbol.asyncDispose]();
    clock.advance(60_000);
    await quiescence({ clock });
    assert.equal(await generation("192.0.2.1"), undefined);
  });

  test("what is no lease of a server counts for nothing", async () => {
    const { store, leases } = setUp();
    const value = Buffer.from('{"kind":"Endpoints","apiVersion":"v1","metadata":{},"subsets":[{"ports":[]}]}');
    await store.write({ op: "put", key: "/registry/masterleases/x", value, expect: "absent" });
    assert.deepEqual(await leases().addresses(), []);
  });
});
