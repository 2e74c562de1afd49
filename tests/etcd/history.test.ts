/** History of a state in etcd: what the server saw is kept beside it, and what it did not see is a gap. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Client, configMaps } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { startCommand } from "../conformance/command-under-test.ts";
import { startEtcd, whyNoEtcd } from "../etcd-server.ts";

interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of a server, read as they come
  readonly body: any;
}

test("with --history=window the past of a state in etcd is kept, across a restart, with gaps that are told", {
  skip: whyNoEtcd() ?? false,
}, async () => {
  await using etcd = await startEtcd();
  await using ends = new AsyncDisposableStack();
  const dataDir = mkdtempSync(join(tmpdir(), "coxswain-history-"));
  ends.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const start = async (...more: readonly string[]) => {
    const state = [`--etcd-servers=${etcd.url}`, "--etcd-prefix=/registry", "--etcd-compaction-interval=200ms"];
    const command = await startCommand("--data-dir", dataDir, ...state, ...more);
    ends.defer(async () => void (await command.stop()));
    const client = await clientFromKubeconfig({ paths: [command.kubeconfig], fieldManager: "test" });
    ends.defer(() => client[Symbol.asyncDispose]());
    return { command, client };
  };
  const first = await start("--history=window");
  const maps = first.client.resource(configMaps, "default");
  // From here on it records.
  assert.equal((await ask(first.client, "/coxswain/v1/moment")).status, 200);
  const made = await maps.create({ metadata: { name: "a" }, data: { v: "1" } });
  const changed = await maps.patch("a", { type: "merge", patch: { data: { v: "2" } } });
  const path = "/api/v1/namespaces/default/configmaps/a";
  const version = (of: { metadata?: { resourceVersion?: string } }): string => of.metadata?.resourceVersion ?? "";
  const isForgotten = async (client: Client, at: string): Promise<boolean> =>
    (await ask(client, `/api/v1/namespaces/default/configmaps?resourceVersion=${at}&resourceVersionMatch=Exact`)).status === 410;
  await waitUntil("the store to have forgotten", () => isForgotten(first.client, version(made)));
  const pastOf = (client: Client, at: string) => ask(client, `/coxswain/v1/past${path}?at=${at}`);
  assert.deepEqual((await pastOf(first.client, version(made))).body.data, { v: "1" });
  const { items } = (await ask(first.client, `/coxswain/v1/history${path}`)).body;
  assert.deepEqual(
    items.map(({ verb, manager, resourceVersion }: Answered["body"]) => [verb, manager, resourceVersion]),
    [
      ["patch", "test", version(changed)],
      ["create", "test", version(made)],
    ],
  );
  await first.client[Symbol.asyncDispose]();
  assert.equal(await first.command.stop(), 0);

  // While no history is kept, somebody writes.
  const between = await start("--history=none");
  const unseen = await between.client.resource(configMaps, "default").patch("a", { type: "merge", patch: { data: { v: "3" } } });
  const last = await between.client.resource(configMaps, "default").patch("a", { type: "merge", patch: { data: { v: "4" } } });
  // Until then it can still be recorded from etcd.
  await waitUntil("etcd to have forgotten", () => isForgotten(between.client, version(unseen)));
  await between.client[Symbol.asyncDispose]();
  assert.equal(await between.command.stop(), 0);

  const again = await start("--history=window");
  assert.deepEqual((await pastOf(again.client, version(changed))).body.data, { v: "2" });
  assert.deepEqual((await pastOf(again.client, "")).body.data, { v: "4" });
  const gap = await pastOf(again.client, version(unseen));
  assert.equal(gap.status, 410);
  assert.match(gap.body.message, /^it was not recorded what happened between the resourceVersions \d+ and \d+$/);
  assert.equal((await ask(again.client, `/coxswain/v1/history${path}`)).body.items[0].resourceVersion, version(last));
});

async function ask({ transport }: Client, path: string): Promise<Answered> {
  const response = await transport.send({ method: "GET", path, headers: { accept: "application/json" } });
  return { status: response.status, body: JSON.parse(Buffer.from(await response.bytes()).toString()) };
}
