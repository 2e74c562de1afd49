import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { WriteNote } from "../storage/store.ts";
import { decodeRecord, encodeRecord, idInRecord } from "./write-record.ts";

const text = fc.string({ unit: "grapheme" });
const someNote = fc.record(
  { user: text, manager: text, userAgent: text, requestId: text, readAt: text },
  { requiredKeys: [], noNullPrototype: true },
);

test("a record is JSON, read as it was written, and its number alone as well", () => {
  const note = fc.option(someNote.filter((one) => Object.keys(one).length > 0) as fc.Arbitrary<WriteNote>, { nil: undefined });
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.maxSafeNat(), note, (id, at, by) => {
      const record = encodeRecord({ id, at, note: by });
      assert.equal(record, JSON.stringify({ id, at, ...by }));
      assert.deepEqual(decodeRecord(Buffer.from(record)), { id, at, note: by });
      assert.equal(idInRecord(Buffer.from(record)), id);
    }),
  );
});

for (const value of ["", "{", '{"id":', '{"id":12', '{"id":-1,', '{"id":1e3,', '{"ID":1,', '{ "id":1,', '{"id":"1",'])
  test(`${value || "nothing"} has no number`, () => assert.equal(idInRecord(Buffer.from(value)), undefined));
