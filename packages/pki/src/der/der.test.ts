import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DerError, partsOf, readElement, readObjectIdentifier, readText, tags } from "./reader.ts";
import { objectIdentifier, octetString, sequence, utf8String } from "./writer.ts";

test("what is written is read, of any length", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (contents) => {
      const parts = partsOf(readElement(sequence(...contents.map(octetString)), tags.sequence), tags.sequence);
      assert.deepEqual(
        parts.map(({ content }) => [...content]),
        contents.map((content) => [...content]),
      );
    }),
  );
});

test("texts and identifiers come back", () => {
  assert.equal(readText(readElement(utf8String("ä €"), 12)), "ä €");
  for (const id of ["2.5.4.3", "1.3.6.1.4.1.57683.2", "1.2.840.113549.1.9.14"]) {
    assert.equal(readObjectIdentifier(readElement(objectIdentifier(id), tags.oid)), id);
  }
});

const refused = [
  { name: "nothing", hex: "", says: /truncated/ },
  { name: "less than its length", hex: "300501", says: /data truncated/ },
  { name: "more than its length", hex: "30000500", says: /trailing data/ },
  { name: "half an element", hex: "30", says: /data truncated/ },
  { name: "another tag", hex: "0400", says: /tags don't match/ },
  { name: "an open length", hex: "30800000", says: /length is not supported/ },
  { name: "a length that could be shorter", hex: "308100", says: /non-minimal/ },
  { name: "a long tag", hex: "3f8101", says: /tag number/ },
  { name: "a length without its digits", hex: "3082", says: /non-minimal|truncated/ },
];
for (const { name, hex, says } of refused) {
  test(`no sequence: ${name}`, () => {
    assert.throws(
      () => readElement(Buffer.from(hex, "hex"), tags.sequence),
      (error) => error instanceof DerError && says.test(error.message),
    );
  });
}

for (const hex of ["0600", "060180", "0609ffffffffffffffff7f"]) {
  test(`no object identifier: ${hex}`, () => assert.throws(() => readObjectIdentifier(readElement(Buffer.from(hex, "hex"), 6)), DerError));
}
