import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import { etcdOptions } from "../store-options.ts";
import { storeUnderTest } from "../store-under-test.ts";
import { startApi } from "./api.ts";

/** Whose wall clock is set while time goes on. */
class AdjustedClock extends ManualClock {
  offset = 0;

  override now(): number {
    return super.now() + this.offset;
  }
}

const minute = 60_000;
const path = "/api/v1/namespaces/default/events";
const event = (name: string) => ({ metadata: { name }, involvedObject: { namespace: "default" }, reason: "Started", type: "Normal" });

/** The store's own test of leases says that they end. */
const notByEtcd = etcdOptions() === undefined ? false : "an hour of etcd's leases is one of etcd's clock";

for (const [name, offset] of [
  ["forward", 365 * 24 * 60 * minute],
  ["back", -365 * 24 * 60 * minute],
] as const)
  test(`Events live for an hour when the wall clock is set ${name}`, { skip: notByEtcd }, async () => {
    const clock = new AdjustedClock();
    const store = await storeUnderTest(clock);
    const api = await startApi({ clock, store });
    const names = async (): Promise<string[]> =>
      (await store.list("/registry/events/default/")).entries.map(({ key }) => key.split("/").at(-1) ?? "");
    const pass = async (minutes: number): Promise<void> => {
      clock.advance(minutes * minute);
      await quiescence({ clock });
    };
    await api.send("POST", path, { body: event("before") });
    await pass(30);
    clock.offset = offset;
    await api.send("POST", path, { body: event("after") });
    await pass(29);
    assert.deepEqual(await names(), ["after", "before"]);
    await pass(2);
    assert.deepEqual(await names(), ["after"]);
    await pass(30);
    assert.deepEqual(await names(), []);
    await api.server.close();
  });
