import assert from "node:assert/strict";
import { test } from "node:test";
import { FieldWriter } from "./field-writer.ts";

const written = (write: (out: FieldWriter) => void): string => {
  const out = new FieldWriter();
  write(out);
  return Buffer.from(out.finish()).toString("hex");
};

const cases = [
  { name: "a text is its length and its UTF-8", write: (out: FieldWriter) => out.text(1, "aé"), hex: "0a0361c3a9" },
  { name: "a whole number is a varint", write: (out: FieldWriter) => out.whole(1, 150), hex: "089601" },
  { name: "field numbers over 15 take two bytes", write: (out: FieldWriter) => out.whole(16, 1), hex: "800101" },
  { name: "a double is eight bytes, the lowest first", write: (out: FieldWriter) => out.double(1, 1), hex: "09000000000000f03f" },
  {
    name: "a message is its length and its fields, the last written first",
    write: (out: FieldWriter) =>
      out.message(3, () => {
        out.text(2, "b");
        out.text(1, "a");
      }),
    hex: "1a060a0161120162",
  },
  { name: "an empty message has length 0", write: (out: FieldWriter) => out.message(3, () => {}), hex: "1a00" },
];
for (const { name, write, hex } of cases) test(name, () => assert.equal(written(write), hex));

test("there is always room for more", () => {
  const long = "ü".repeat(2_000_000);
  const out = new FieldWriter();
  out.text(2, long);
  out.text(1, "first");
  const bytes = out.finish();
  assert.equal(Buffer.from(bytes.subarray(0, 12)).toString("hex"), "0a056669727374128092f401");
  assert.equal(new TextDecoder().decode(bytes.subarray(-4_000_000)), long);
});
