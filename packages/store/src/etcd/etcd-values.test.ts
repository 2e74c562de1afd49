/** What values go through on their way to etcd: a server knows of what it has written itself how that is stored, as others do who read it. */
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { type EtcdUnderTest, startEtcd, whyNoEtcd } from "../../../../tests/etcd-server.ts";
import { bytesOf, found } from "../contract/model.ts";
import type { Revision, Store, Write } from "../storage/store.ts";
import { TransformError, type ValueTransformer } from "../storage/value-transformer.ts";
import { openEtcdStore } from "./etcd-store.ts";

/** Encryption with keys of one letter, of which the first one writes. */
class Letters implements ValueTransformer {
  generation = 1;
  #letters = "a";

  use(letters: string): void {
    this.#letters = letters;
    this.generation++;
  }

  checkWrite(): void {}

  toStorage(_key: string, value: Uint8Array): Uint8Array {
    return Buffer.concat([Buffer.from(this.#letters.slice(0, 1)), value]);
  }

  fromStorage(_key: string, stored: Uint8Array): { value: Uint8Array; stale: boolean } {
    const at = this.#letters.indexOf(String.fromCharCode(stored[0] ?? 0));
    if (at === -1) throw new TransformError("no key is there");
    return { value: stored.subarray(1), stale: at > 0 };
  }
}

const [key, other] = ["/registry/a", "/registry/b"];

suite("values in etcd", { skip: whyNoEtcd() ?? false }, () => {
  let etcd: EtcdUnderTest;
  before(async () => {
    etcd = await startEtcd();
  });
  after(() => etcd[Symbol.asyncDispose]());

  const put = (value: string, expect: Revision | "absent"): Write => ({ op: "put", key, value: bytesOf(value), expect });
  const cases = [
    { name: "by a write of their own", change: put },
    {
      name: "by that of another entry",
      change: (value: string, expect: Revision): Write => ({
        ...{ op: "put", key: other, value: bytesOf(value), expect: "absent" },
        also: [{ key, value: bytesOf(value), expect }],
      }),
    },
  ];
  for (const [i, { name, change }] of cases.entries())
    test(`are as they were written when keys change: ${name}`, async () => {
      const letters = new Letters();
      const options = { clock: systemClock, random: systemRandom, servers: [etcd.url], prefix: `/values-${i}`, transformer: letters };
      await using store = await openEtcdStore(options);
      const valueIn = async (one: Store): Promise<string> => Buffer.from(found((await one.get(key)).entry).value).toString();

      const { revision } = await store.write(put("1", "absent"));
      assert.equal(await store.isStale?.(key), false);
      letters.use("ba");
      assert.equal(await valueIn(store), "1");
      assert.equal(await store.isStale?.(key), true);
      assert.ok((await store.write(change("2", revision))).ok);
      assert.equal(await store.isStale?.(key), false);
      letters.use("b");
      assert.equal(await valueIn(store), "2");
      letters.use("c");
      await assert.rejects(store.get(key), TransformError);
      letters.use("b");
      // Whoever reads etcd finds the same.
      await using another = await openEtcdStore(options);
      assert.equal(await valueIn(another), "2");
    });

  test("an entry that is changed together with one that ends by itself does not end with it", async () => {
    const options = { clock: systemClock, random: systemRandom, servers: [etcd.url], prefix: "/leases" };
    await using store = await openEtcdStore(options);
    const { revision } = await store.write({ op: "put", key: other, value: bytesOf("1"), expect: "absent" });
    const also = [{ key: other, value: bytesOf("2"), expect: revision }];
    await store.write({ op: "put", key, value: bytesOf("1"), expect: "absent", also, ttlSeconds: 1 });
    const ended = Promise.withResolvers<string>();
    using _ = store.subscribe("/registry/", { after: store.revision }, ({ events }) => {
      for (const event of events) if (event.type === "delete") ended.resolve(event.key);
    });
    assert.equal(await ended.promise, key);
    assert.equal(Buffer.from(found((await store.get(other)).entry).value).toString(), "2");
  });
});
