import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Clock, systemClock, systemRandom } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { type EtcdUnderTest, suiteOnEachEtcd } from "../../../../tests/etcd-server.ts";
import { proxyTo } from "../../../../tests/tcp-proxy.ts";
import { bytesOf, found, plainEntry, plainEvent } from "../contract/model.ts";
import { OutcomeUnknownError, type Revision, type Store, type StoreEvent, type WatchBatch } from "../storage/store.ts";
import { type EtcdOptions, openEtcdStore } from "./etcd-store.ts";

/** What is waited for from `hurry` on is given up twenty times as fast. */
function hurriedClock(): { readonly clock: Clock; hurry(isHurried: boolean): void } {
  let speed = 1;
  let [passed, since] = [0, systemClock.monotonic()];
  const monotonic = (): number => passed + (systemClock.monotonic() - since) * speed;
  return {
    clock: { now: () => systemClock.now(), monotonic, schedule: (afterMs, fn) => systemClock.schedule(afterMs / speed, fn) },
    hurry(isHurried) {
      [passed, since] = [monotonic(), systemClock.monotonic()];
      speed = isHurried ? 20 : 1;
    },
  };
}
const key = "/registry/a";

/** The first time a store may learn only that another has done it last. */
async function compactNow(store: Store, before = store.revision): Promise<void> {
  for (let i = 0; i < 2; i++) await store.compact(before);
}

suiteOnEachEtcd("stores that share", (startEtcd) => {
  let etcd: EtcdUnderTest;
  let prefixes = 0;
  const newPrefix = (): string => `/shared-${prefixes++}`;
  const open = (prefix: string, options: Partial<EtcdOptions> = {}): Promise<Store> =>
    openEtcdStore({ clock: systemClock, random: systemRandom, servers: [etcd.url], prefix, ...options });
  before(async () => {
    etcd = await startEtcd();
  });
  after(() => etcd[Symbol.asyncDispose]());

  test("see each other's acknowledged writes once they have freshened", async () => {
    const prefix = newPrefix();
    await using one = await open(prefix);
    await using two = await open(prefix);
    let expect: Revision | "absent" = "absent";
    for (let i = 0; i < 200; i++) {
      const [writer, reader] = i % 2 === 0 ? [one, two] : [two, one];
      const { revision } = await writer.write({ op: "put", key, value: bytesOf(`${i}`), expect });
      await reader.freshen?.();
      const entry = found((await reader.get(key)).entry);
      assert.deepEqual([plainEntry(entry).value, entry.modified], [`${i}`, revision]);
      expect = revision;
    }
  });

  test("count exactly when all of them increment", async () => {
    const prefix = newPrefix();
    await using one = await open(prefix);
    await using two = await open(prefix);
    await one.write({ op: "put", key, value: bytesOf("0"), expect: "absent" });
    await two.freshen?.();
    const increment = async (store: Store): Promise<void> => {
      for (let done = 0; done < 100; ) {
        const entry = found((await store.get(key)).entry);
        const value = bytesOf(`${Number(plainEntry(entry).value) + 1}`);
        if ((await store.write({ op: "put", key, value, expect: entry.modified })).ok) done++;
      }
    };
    await Promise.all([one, two, one, two].map(increment));
    await one.freshen?.();
    assert.equal(plainEntry(found((await one.get(key)).entry)).value, "400");
  });

  test("know who wrote on another server", async () => {
    const prefix = newPrefix();
    await using one = await open(prefix);
    await using two = await open(prefix);
    await one.write({ op: "put", key, value: bytesOf("1"), expect: "absent" }, { user: "ann", manager: "kubectl", readAt: "7" });
    await two.freshen?.();
    const [change] = await two.history(key);
    assert.deepEqual(change?.note, { user: "ann", manager: "kubectl", readAt: "7" });
  });

  test("go on from where another has left off, with its history", async () => {
    const prefix = newPrefix();
    const first = await open(prefix);
    const { revision } = await first.write({ op: "put", key, value: bytesOf("1"), expect: "absent" });
    await first.write({ op: "put", key, value: bytesOf("2"), expect: revision });
    await first[Symbol.asyncDispose]();
    await using second = await open(prefix);
    const seen: StoreEvent[] = [];
    second.subscribe("/registry/", { after: revision }, ({ events }) => seen.push(...events))[Symbol.dispose]();
    assert.deepEqual(
      seen.map((event) => plainEvent(event).entry?.value),
      ["2"],
    );
  });

  test("miss no change when the connection is cut again and again", async () => {
    const prefix = newPrefix();
    await using proxy = await proxyTo(etcd.url);
    await using follower = await open(prefix, { servers: [proxy.url] });
    await using writer = await open(prefix);
    const seen: number[] = [];
    follower.subscribe("/registry/", { after: follower.revision }, ({ events }) =>
      seen.push(...events.map((event) => plainEvent(event).revision)),
    );
    const written: number[] = [];
    for (let i = 0; i < 300; i++) {
      written.push((await writer.write({ op: "put", key: `${key}/${i}`, value: bytesOf(""), expect: "absent" })).revision);
      if (i % 50 === 25) proxy.cut();
    }
    await follower.freshen?.();
    assert.deepEqual(seen, written);
  });

  for (const { name, before, meanwhile } of [
    { name: "a put over what was there", before: ["old"], meanwhile: [] },
    { name: "a put where nothing was", before: [], meanwhile: [] },
    { name: "a put of which another has made something else", before: ["old"], meanwhile: ["other"] },
  ] as const)
    test(`do not say that nothing was written when what has become of it is compacted: ${name}`, async () => {
      const prefix = newPrefix();
      await using proxy = await proxyTo(etcd.url);
      await using store = await open(prefix, { servers: [proxy.url] });
      await using witness = await open(prefix);
      let newest: Revision | "absent" = "absent";
      const put = async (value: string): Promise<void> => {
        newest = (await witness.write({ op: "put", key, value: bytesOf(value), expect: newest })).revision;
      };
      const seen = async (value: string): Promise<boolean> => {
        await witness.freshen?.();
        const { entry } = await witness.get(key);
        if (entry === undefined || plainEntry(entry).value !== value) return false;
        newest = entry.modified;
        return true;
      };
      for (const value of before) await put(value);
      // With its first write a server makes itself known.
      await store.write({ op: "put", key: `${key}/first`, value: bytesOf(""), expect: "absent" });
      proxy.loseAnswers(() => true);
      const writing = store.write({ op: "put", key, value: bytesOf("own"), expect: newest }).then(
        (result) => result,
        (error: unknown) => error,
      );
      await waitUntil("the write to take effect", () => seen("own"));
      for (const value of meanwhile) await put(value);
      await witness.write({ op: "put", key: `${key}/last`, value: bytesOf(""), expect: "absent" });
      await compactNow(witness);
      proxy.loseAnswers(() => false);
      const outcome = await writing;
      assert.ok(outcome instanceof OutcomeUnknownError, String(outcome));
    });

  test("write what certainly was not written though changes are compacted", async () => {
    const prefix = newPrefix();
    await using proxy = await proxyTo(etcd.url);
    await using store = await open(prefix, { servers: [proxy.url] });
    await using witness = await open(prefix);
    const first = await store.write({ op: "put", key, value: bytesOf("old"), expect: "absent" });
    proxy.pause();
    const writing = store.write({ op: "put", key, value: bytesOf("own"), expect: first.revision });
    await witness.write({ op: "put", key: `${key}/other`, value: bytesOf(""), expect: "absent" });
    await compactNow(witness);
    proxy.cut();
    proxy.resume();
    assert.equal((await writing).ok, true);
    await witness.freshen?.();
    assert.equal(plainEntry(found((await witness.get(key)).entry)).value, "own");
  });

  test("learn what became of writes whose answers were lost", async () => {
    const prefix = newPrefix();
    await using proxy = await proxyTo(etcd.url);
    await using store = await open(prefix, { servers: [proxy.url] });
    await using witness = await open(prefix);
    let [pieces, lost] = [0, 0];
    proxy.loseAnswers(() => {
      const isLost = ++pieces % 6 === 0;
      if (isLost) lost++;
      return isLost;
    });
    const keys = Array.from({ length: 120 }, (_, i) => `${key}/${i}`);
    const outcomes: (Revision | undefined)[] = [];
    for (let from = 0; from < keys.length; from += 8) {
      const writes = keys.slice(from, from + 8).map((one) => store.write({ op: "put", key: one, value: bytesOf(one), expect: "absent" }));
      outcomes.push(...(await Promise.all(writes)).map((result) => (result.ok ? result.revision : undefined)));
    }
    proxy.loseAnswers(() => false);
    await witness.freshen?.();
    const { entries } = await witness.list("/registry/");
    assert.deepEqual(
      new Set(entries.map(({ key: one, modified }) => `${one} ${modified}`)),
      new Set(keys.map((one, i) => `${one} ${outcomes[i]}`)),
    );
    assert.ok(lost > 0);
  });

  test("begin anew, and say so, when what has happened meanwhile is compacted", async () => {
    const prefix = newPrefix();
    await using proxy = await proxyTo(etcd.url);
    await using late = await open(prefix, { servers: [proxy.url] });
    await using other = await open(prefix);
    for (const name of ["kept", "gone", "changed"])
      await late.write({ op: "put", key: `/registry/${name}`, value: bytesOf("1"), expect: "absent" });
    await other.freshen?.();
    const at = async (name: string): Promise<Revision> => found((await other.get(`/registry/${name}`)).entry).modified;
    const batches: WatchBatch[] = [];
    late.subscribe("/registry/", { after: late.revision }, (batch) => batches.push(batch));
    proxy.pause();
    await other.write({ op: "delete", key: "/registry/gone", expect: await at("gone") });
    await other.write({ op: "put", key: "/registry/changed", value: bytesOf("2"), expect: await at("changed") });
    const { revision } = await other.write({ op: "put", key: "/registry/new", value: bytesOf("1"), expect: "absent" });
    await compactNow(other, revision);
    proxy.cut();
    proxy.resume();
    await waitUntil("the store to begin anew", () => batches.some(({ isReplaced }) => isReplaced === true));
    const [replaced] = batches.filter(({ isReplaced }) => isReplaced === true);
    assert.deepEqual(
      replaced?.events.map((event) => [plainEvent(event).key, plainEvent(event).entry?.value]),
      [
        ["/registry/changed", "2"],
        ["/registry/new", "1"],
        ["/registry/gone", undefined],
      ],
    );
    await late.write({ op: "put", key: "/registry/last", value: bytesOf("1"), expect: "absent" });
    assert.deepEqual(
      (await late.list("/registry/")).entries.map((entry) => entry.key),
      ["changed", "kept", "last", "new"].map((name) => `/registry/${name}`),
    );
    assert.throws(() => late.subscribe("/registry/", { after: (revision - 1) as Revision }, () => {}), { name: "CompactedError" });
  });

  test("refuse in etcd's words what it refuses", async () => {
    await using store = await open(newPrefix());
    await assert.rejects(store.write({ op: "put", key, value: new Uint8Array(1_700_000), expect: "absent" }), {
      name: "StorageError",
      message: "etcdserver: request is too large",
      isForClients: true,
    });
    await assert.rejects(store.write({ op: "put", key, value: new Uint8Array(2_200_000), expect: "absent" }), {
      name: "StorageError",
      message: /^rpc error: code = ResourceExhausted desc = trying to send message larger than max \(2200\d{3} vs\. 2097152\)$/,
      isForClients: true,
    });
    assert.equal((await store.write({ op: "put", key, value: bytesOf("1"), expect: "absent" })).ok, true);
  });

  test("read on when etcd has no more space", async () => {
    await using small = await startEtcd("--quota-backend-bytes=1000000");
    await using store = await open("/registry", { servers: [small.url] });
    const value = new Uint8Array(100_000);
    await assert.rejects(
      async () => {
        for (let i = 0; i < 100; i++) await store.write({ op: "put", key: `${key}/${i}`, value, expect: "absent" });
      },
      { name: "StorageError", message: "etcdserver: mvcc: database space exceeded" },
    );
    assert.equal(store.writeFailure, undefined, "the server goes on");
    await store.freshen?.();
    assert.ok((await store.list("/registry/")).entries.length > 0);
  });

  test("know of each write what became of it when etcd's space ends", async () => {
    await using small = await startEtcd("--quota-backend-bytes=3000000");
    await using store = await open("/registry", { servers: [small.url] });
    await using witness = await open("/registry", { servers: [small.url] });
    const written = new Map<string, boolean>();
    const value = new Uint8Array(50_000);
    // What is on its way at the same moment goes past the first look at the quota together.
    for (let batch = 0; ![...written.values()].includes(false); batch++)
      await Promise.all(
        Array.from({ length: 40 }, async (_, i) => {
          const one = `${key}/${batch}-${i}`;
          const outcome = await store.write({ op: "put", key: one, value, expect: "absent" }).catch((error: unknown) => error);
          if (outcome instanceof Error) assert.equal(outcome.name, "StorageError");
          written.set(one, !(outcome instanceof Error));
        }),
      );
    await witness.freshen?.();
    const { entries } = await witness.list("/registry/");
    assert.deepEqual(
      new Set(entries.map((entry) => entry.key)),
      new Set([...written].filter(([, isWritten]) => isWritten).map(([one]) => one)),
    );
  });

  test("say that the fate of a write is unknown while etcd does not answer, and go on when it does", async () => {
    await using frozen = await startEtcd();
    const { clock, hurry } = hurriedClock();
    await using store = await open("/registry", { servers: [frozen.url], clock });
    await store.write({ op: "put", key, value: bytesOf("1"), expect: "absent" });
    await frozen.freeze();
    hurry(true);
    const refused = assert.rejects(store.write({ op: "put", key: `${key}/2`, value: bytesOf("2"), expect: "absent" }), {
      name: "OutcomeUnknownError",
    });
    await assert.rejects(async () => await store.freshen?.(), { name: "StorageError" });
    assert.equal(plainEntry(found((await store.get(key)).entry)).value, "1");
    await refused;
    hurry(false);
    frozen.process.kill("SIGCONT");
    await waitUntil("writes to go on", async () => {
      const entry = found((await store.get(key)).entry);
      const written = store.write({ op: "put", key, value: bytesOf("3"), expect: entry.modified });
      return await written.then(
        ({ ok }) => ok,
        () => false,
      );
    });
  });

  test("write nothing, and say so, where etcd has gone", async () => {
    await using gone = await startEtcd();
    const { clock, hurry } = hurriedClock();
    await using store = await open("/registry", { servers: [gone.url], clock });
    await gone[Symbol.asyncDispose]();
    hurry(true);
    await assert.rejects(store.write({ op: "put", key, value: bytesOf("1"), expect: "absent" }), {
      message: /connect: connection refused|error reading from server: EOF/,
    });
  });

  test("report once what each attempt to follow fails with, and close without waiting for an etcd that has gone", async () => {
    await using gone = await startEtcd();
    let attempts = 0;
    // No time for attempts ever ends; the pauses between them do.
    const schedule: Clock["schedule"] = (afterMs, fn) => {
      if (afterMs === 100) attempts++;
      return systemClock.schedule(afterMs, fn);
    };
    const clock = { ...systemClock, monotonic: () => 0, schedule };
    const problems: string[] = [];
    const onProblem = (_: string, error: unknown): void => void problems.push(String(error));
    const store = await open("/registry", { servers: [gone.url], clock, onProblem });
    await store.write({ op: "put", key, value: bytesOf("1"), expect: "absent" });
    await gone[Symbol.asyncDispose]();
    await waitUntil("ten attempts", () => attempts >= 10);
    await store[Symbol.asyncDispose]();
    assert.deepEqual(problems, [...new Set(problems)]);
    assert.match(problems.at(-1) ?? "", /connection refused/);
  });

  test("do not open where no member answers", async () => {
    const { url } = await startEtcd().then(async (gone) => {
      await gone[Symbol.asyncDispose]();
      return gone;
    });
    let asked = 0;
    const hurried = { ...systemClock, monotonic: () => systemClock.monotonic() + 4_000 * asked++ };
    await assert.rejects(open("/registry", { servers: [url], clock: hurried }), {
      name: "StorageError",
      message:
        /^failed to read etcd: connection error: desc = "transport: Error while dialing: dial tcp 127\.0\.0\.1:\d+: connect: connection refused"$/,
    });
  });
});
