/** A server that has forgotten its first revisions, for what clients make of that. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { AsyncDisposableStack, systemClock, systemRandom } from "@coxswain/machinery";
import { openSqliteStore, type Store } from "@coxswain/store";
import { openEtcdStore } from "@coxswain/store/etcd";
import { startEtcd } from "../etcd-server.ts";
import { etcdOptions } from "../store-options.ts";
import { type CommandUnderTest, startCommand } from "./command-under-test.ts";

/** Its history starts at revision 11 or later: a request for an earlier one is answered with Expired. */
export async function startWithShortHistory(t: TestContext): Promise<CommandUnderTest> {
  const ends = new AsyncDisposableStack();
  t.after(() => ends.disposeAsync());
  const data = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  ends.defer(() => rmSync(data, { recursive: true, force: true }));
  const options = etcdOptions() === undefined ? await inFile(data) : await inEtcd(ends);
  const command = await startCommand("--data-dir", data, ...options);
  ends.defer(async () => void (await command.stop()));
  return command;
}

async function inFile(data: string): Promise<string[]> {
  await writeAndForget(await openSqliteStore({ path: join(data, "state.db"), clock: systemClock }));
  return [];
}

/** One of its own: what others have there is not to be forgotten. */
async function inEtcd(ends: AsyncDisposableStack): Promise<string[]> {
  const { url } = ends.use(await startEtcd());
  await writeAndForget(await openEtcdStore({ clock: systemClock, random: systemRandom, servers: [url] }));
  return [`--etcd-servers=${url}`];
}

async function writeAndForget(opened: Store): Promise<void> {
  await using store = opened;
  for (let i = 1; i <= 10; i++) await store.write({ op: "put", key: `/conformance/${i}`, value: new Uint8Array(), expect: "absent" });
  await store.compact(store.revision);
}
