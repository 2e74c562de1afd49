import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { type EtcdUnderTest, startEtcd, whyNoEtcd } from "../../../../tests/etcd-server.ts";
import { bytesOf } from "../contract/model.ts";
import { EtcdConnection } from "../etcd/etcd-connection.ts";
import { openEtcdStore } from "../etcd/etcd-store.ts";
import { grantLease } from "../etcd/leases.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { temporaryFolder } from "../sqlite/temporary-folder.ts";
import { CompactedError, type Revision, type Store } from "../storage/store.ts";
import { openFileTarget } from "./data-directory.ts";
import { openEtcdSource } from "./etcd-source.ts";
import { openEtcdTarget } from "./etcd-target.ts";
import type { StateEntry, StateSource, StateTarget } from "./state.ts";
import { transferState } from "./transfer-state.ts";

const missing = whyNoEtcd();
const folder = temporaryFolder();

suite("a state that goes to etcd, or comes from there", { skip: missing ?? false }, () => {
  let etcd: EtcdUnderTest;
  let raw: EtcdConnection;
  let prefixes = 0;
  const newPrefix = (): string => `/moved-${prefixes++}`;
  const at = (prefix: string) => ({ servers: [etcd.url], prefix, clock: systemClock, random: systemRandom });
  const source = (prefix: string): Promise<StateSource> => openEtcdSource(at(prefix));
  const target = (prefix: string, replaces = false): Promise<StateTarget> => openEtcdTarget({ ...at(prefix), replaces });
  const open = (prefix: string): Promise<Store> => openEtcdStore(at(prefix));
  const put = (key: string, value = "1", lease?: number) =>
    raw.repeatable("Txn", {
      compare: [],
      success: [{ requestPut: { key: Buffer.from(key), value: Buffer.from(value), ...(lease === undefined ? {} : { lease }) } }],
    });
  const entriesOf = async (prefix: string): Promise<StateEntry[]> => {
    await using found = await source(prefix);
    return (await Array.fromAsync(found.pages())).flat();
  };
  before(async () => {
    etcd = await startEtcd();
    raw = new EtcdConnection({ servers: [etcd.url] }, systemClock);
  });
  after(async () => {
    raw[Symbol.dispose]();
    await etcd[Symbol.asyncDispose]();
  });

  async function fill(prefix: string, count: number): Promise<void> {
    await using store = await open(prefix);
    for (let i = 0; i < count; i++)
      await store.write({ op: "put", key: `/registry/a/${String(i).padStart(4, "0")}`, value: bytesOf(`${i}`), expect: "absent" });
  }

  test("has the same keys and values under another prefix, with a version of its own for each", async () => {
    const [from, to] = [newPrefix(), newPrefix()];
    await fill(from, 60);
    await using read = await source(from);
    await using written = await target(to);
    const { summary, renumbered, revision } = await transferState(read, written);
    assert.deepEqual([summary.entries, renumbered], [60, 60]);
    const [before, after] = [await entriesOf(from), await entriesOf(to)];
    const plain = (entries: readonly StateEntry[]) => entries.map(({ key, value }) => [key, Buffer.from(value).toString()]);
    assert.deepEqual(plain(after), plain(before));
    assert.equal(new Set(after.map(({ modified }) => modified)).size, 60);
    await using store = await open(to);
    assert.ok(store.revision >= revision);
    assert.throws(() => store.events("/", { after: after[0]?.modified as Revision, limit: 1 }), CompactedError);
  });

  test("keeps its versions in a data file, where each key had one of its own", async () => {
    const from = newPrefix();
    await fill(from, 30);
    const path = folder("versions.db");
    {
      await using read = await source(from);
      await using written = openFileTarget({ path, revision: read.revision, now: 0, replaces: false });
      assert.equal((await transferState(read, written)).renumbered, 0);
    }
    await using original = await open(from);
    await using copy = await openSqliteStore({ path, clock: systemClock });
    const versions = async (store: Store) =>
      (await store.list("/registry/")).entries.map(({ key, created, modified }) => [key, created, modified]);
    assert.deepEqual(await versions(copy), await versions(original));
  });

  test("is one revision, whatever is written meanwhile", async () => {
    const from = newPrefix();
    await fill(from, 60);
    await using read = await source(from);
    const pages = read.pages()[Symbol.asyncIterator]();
    const first = (await pages.next()).value as readonly StateEntry[];
    assert.ok(first.length < 60);
    await put(`${from}/a/0059`, "changed");
    await put(`${from}/a/9999`, "new");
    const rest = (await Array.fromAsync({ [Symbol.asyncIterator]: () => pages })).flat();
    const values = [...first, ...rest].map(({ value }) => Buffer.from(value).toString());
    assert.deepEqual(
      values,
      Array.from({ length: 60 }, (_, i) => `${i}`),
    );
  });

  test("has entries for as long as they had left, and nothing of servers", async () => {
    const [from, to] = [newPrefix(), newPrefix()];
    const lease = await grantLease(raw, systemRandom, 1_000);
    await put(`${from}/events/default/a`, "1", lease);
    await put(`${from}/configmaps/default/a`, "1");
    await put(`${from}/masterleases/10.0.0.1`, "1", lease);
    await put(`${from}/peerserverleases/x`, "1", lease);
    await using read = await source(from);
    await using written = await target(to);
    await transferState(read, written);
    const left = (await entriesOf(to)).map(({ key, ttlSeconds }) => [
      key,
      ttlSeconds !== undefined && ttlSeconds > 990 && ttlSeconds < 1_100,
    ]);
    assert.deepEqual(left, [
      ["/registry/configmaps/default/a", false],
      ["/registry/events/default/a", true],
    ]);
  });

  test("is not put where there is another, or where servers are", async () => {
    const prefix = newPrefix();
    await fill(prefix, 1);
    await assert.rejects(target(prefix), /there is a state in etcd already: 1 keys below \/moved-\d+\//);
    const { [Symbol.asyncDispose]: end } = await target(prefix, true).then((one) =>
      one.finish({ entries: 0, bytes: 0, digest: "000000000000" }).then(() => one),
    );
    await end;
    {
      await using store = await open(prefix);
      await store.write({ op: "put", key: "/registry/a", value: bytesOf("1"), expect: "absent" });
      await assert.rejects(target(prefix, true), /a server uses the state in etcd \(\/moved-\d+-coxswain\/servers\/\S+\): stop it first/);
    }
    const other = newPrefix();
    await put(`${other}/masterleases/10.0.0.1`);
    await assert.rejects(target(other, true), /a server uses the state in etcd/);
  });

  test("is not copied onto itself, by whatever address", async () => {
    const prefix = newPrefix();
    await fill(prefix, 2);
    await using read = await source(prefix);
    const servers = [etcd.url.replace("127.0.0.1", "localhost")];
    await assert.rejects(openEtcdTarget({ ...at(prefix), servers, replaces: true, source: read }), /the state would be copied onto itself/);
    assert.equal((await entriesOf(prefix)).length, 2);
  });

  test("does not count while it is incomplete, and is copied anew after that", async () => {
    const [from, to] = [newPrefix(), newPrefix()];
    await fill(from, 3);
    {
      await using cutOff = await target(to);
      await cutOff.write([{ key: "/registry/x", value: bytesOf("x"), created: 1, modified: 1, at: undefined, ttlSeconds: undefined }]);
    }
    const incomplete = /the state in etcd is incomplete: a copy to it has not ended/;
    await assert.rejects(open(to), incomplete);
    await assert.rejects(source(to), incomplete);
    await using read = await source(from);
    await using written = await target(to);
    await transferState(read, written);
    assert.deepEqual(
      (await entriesOf(to)).map(({ key }) => key),
      ["/registry/a/0000", "/registry/a/0001", "/registry/a/0002"],
    );
  });

  test("names what is too large for etcd, and the copy that another one disturbs fails", async () => {
    const prefix = newPrefix();
    await using written = await target(prefix);
    const entry = (key: string, size: number): StateEntry => ({
      ...{ key, value: Buffer.alloc(size), created: 1, modified: 1, at: undefined, ttlSeconds: undefined },
    });
    await assert.rejects(written.write([entry("/registry/large", 1_700_000)]), {
      message: "failed to write /registry/large to etcd: etcdserver: request is too large",
    });
    await put(`${prefix}/foreign`);
    await assert.rejects(
      written.finish({ entries: 0, bytes: 0, digest: "000000000000" }),
      /what is in etcd now \(1 entries, .*is not what was written/,
    );
  });
});
