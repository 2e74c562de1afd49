/** What a watch brings is mostly known, and then not read: what is news is the same as with everything read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { etcdMethod, type WatchEvent, type WatchResponse } from "./protocol.ts";
import { watchMethod } from "./watch-responses.ts";
import { encodeRecord } from "./write-record.ts";

const ownKey = Buffer.from("/registry-coxswain/servers/own");
const { response } = etcdMethod("Watch");

const bytes = fc.oneof(
  fc.string().map((text) => Buffer.from(text)),
  fc.integer({ min: 1, max: 6 }).map((id) => Buffer.from(encodeRecord({ id, at: 17, note: { user: "a" } }))),
);
const plain = { noNullPrototype: true };
const eventOf = (modRevision: number): fc.Arbitrary<WatchEvent> => {
  const kv = fc.record(
    {
      key: fc.oneof(
        fc.constant(ownKey),
        fc.string().map((name) => Buffer.from(`/registry/${name}`)),
      ),
      value: bytes,
      createRevision: fc.integer({ min: 0, max: 2 ** 40 }),
      modRevision: fc.constant(modRevision),
      version: fc.integer({ min: 0, max: 9 }),
      lease: fc.constantFrom("0", "7", "9007199254740993"),
    },
    plain,
  );
  return fc.record({ type: fc.constantFrom("PUT", "DELETE"), kv }, plain);
};
const revisions = fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 5 }).map((all) => all.sort((a, b) => a - b));
const events = revisions
  .chain((all) => fc.tuple(...all.map((one) => fc.array(eventOf(one), { minLength: 1, maxLength: 3 }))))
  .map((all) => all.flat());

/** The number of the record among the events of one revision. */
function ownIdOf(ofRevision: readonly WatchEvent[]): number | undefined {
  for (const { kv } of ofRevision) {
    const id = /^\{"id":(\d+),/.exec(kv.value.toString())?.[1];
    if (kv.key.equals(ownKey) && id !== undefined) return Number(id);
  }
  return undefined;
}

test("the news of a response are its events behind what is known, but for own writes that wait for an answer", () => {
  const property = fc.property(
    events,
    fc.nat({ max: 30 }),
    fc.boolean(),
    fc.subarray([1, 2, 3, 4, 5, 6]),
    (all, after, fragment, waiting) => {
      const writes = new Map(waiting.map((id) => [id, `write ${id}`]));
      const decoded = watchMethod({ after: () => after, own: { key: ownKey, writes } }).response.decode(
        response.encode({ header: { revision: 40 }, fragment, events: all }),
      );
      const expected = [...Map.groupBy(all, ({ kv }) => kv.modRevision)]
        .filter(([revision]) => revision > after)
        .map(([revision, ofRevision]) => {
          const own = writes.get(ownIdOf(ofRevision) ?? 0);
          return { revision, own, events: own === undefined ? ofRevision : [] };
        });
      assert.deepEqual(decoded.news, expected);
      assert.equal(decoded.revision, all.at(-1)?.kv.modRevision ?? 40);
      assert.equal(decoded.fragment, fragment);
    },
  );
  fc.assert(property);
});

const others: readonly { readonly name: string; readonly said: Partial<WatchResponse> }[] = [
  { name: "the beginning", said: { header: { revision: 5 }, created: true } },
  { name: "the progress", said: { header: { revision: 9 } } },
  { name: "a compaction", said: { header: { revision: 9 }, canceled: true, compactRevision: 7 } },
  { name: "the end", said: { header: { revision: 9 }, canceled: true, cancelReason: "no leader" } },
];
for (const { name, said } of others)
  test(`${name} of a watch is read as it is`, () => {
    const { header, events: _, ...rest } = response.decode(response.encode(said)) as WatchResponse;
    assert.deepEqual(watchMethod({ after: () => 100 }).response.decode(response.encode(said)), {
      ...rest,
      revision: header.revision,
      news: [],
    });
  });
