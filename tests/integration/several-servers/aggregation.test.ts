/** Servers behind APIServices, as several API servers see them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { staticContent } from "@coxswain/apiserver";
import { waitUntil } from "@coxswain/machinery/testing";
import { createSharedMemory } from "@coxswain/store/testing";
import { apiServices, ask, available, condition, group, register, root, startExtensionServer } from "../extension-server.ts";
import { type Server, startOn, writesAfter } from "./two-servers.ts";

test("an APIService that one server has taken in is served by the other", async (t) => {
  await using extension = await startExtensionServer();
  const shared = createSharedMemory();
  const options = { aggregation: { loopback: true, proxyClient: staticContent(() => extension.client) } };
  const [one, two] = [await startOn(shared, options), await startOn(shared, options)];
  t.after(() => Promise.all([one, two].map(({ server }) => server.close())));
  two.store.hold();
  await register(one, extension);
  await available(one);
  await ask(two, "GET", `${root}/boats`);
  await waitUntil("the other to know of it", async () => (await ask(two, "GET", `${root}/boats`)).status === 200);
  await one.send("DELETE", `${apiServices}/v1.${group}`);
  assert.equal((await two.send("GET", `${root}/boats`)).status, 404);
});

test("of two servers of which one does not reach it, neither writes again and again", async (t) => {
  await using extension = await startExtensionServer();
  const shared = createSharedMemory();
  const reaching = await startOn(shared, { aggregation: { loopback: true } });
  const cutOff = await startOn(shared, { aggregation: { loopback: false } });
  const servers: readonly Server[] = [reaching, cutOff];
  t.after(() => Promise.all(servers.map(({ server }) => server.close())));
  await register(reaching, extension);
  await condition(reaching, ({ status }) => status !== "Unknown");
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 30; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  await settle();
  const { revision } = shared;
  await settle();
  assert.deepEqual(writesAfter(shared, revision), []);
  for (const { clock } of servers) clock.advance(30_000);
  await settle();
  assert.ok(writesAfter(shared, revision).length <= 2, writesAfter(shared, revision).join());
});
