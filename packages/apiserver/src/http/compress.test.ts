import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync, inflateRawSync } from "node:zlib";
import type { HttpRequest } from "../contracts/http.ts";
import { gzipped, inPieces } from "./compress.ts";
import type { HeaderBag } from "./headers.ts";

const requestWith = (accepted?: string): HttpRequest => ({
  method: "GET",
  path: "/",
  query: "",
  headers: accepted === undefined ? {} : { "accept-encoding": accepted },
  remoteAddress: "",
  http1: false,
});

const size = 128 * 1024;
const cases: readonly {
  readonly name: string;
  readonly accepted?: string;
  readonly sizes: readonly number[];
  readonly compressed: boolean;
}[] = [
  { name: "a long list", accepted: "gzip", sizes: [size, 70_000, 3], compressed: true },
  { name: "a short list", accepted: "gzip", sizes: [size - 1, 3], compressed: false },
  { name: "an empty list", accepted: "gzip", sizes: [], compressed: false },
  { name: "a long list for who does not take gzip", sizes: [size, size], compressed: false },
  { name: "a long list for who refuses gzip", accepted: "gzip;q=0", sizes: [size, size], compressed: false },
  { name: "a long list for who takes many", accepted: "br, gzip;q=0.5", sizes: [size, size], compressed: true },
];
for (const { name, accepted, sizes, compressed } of cases) {
  test(`${name} is ${compressed ? "compressed" : "sent as it is"}`, () => {
    const headers: HeaderBag = {};
    const chunks = sizes.map((length, i) => Buffer.alloc(length, i + 1));
    const sent = Buffer.concat([...gzipped(requestWith(accepted), headers, chunks.values())]);
    assert.equal(headers["content-encoding"], compressed ? "gzip" : undefined);
    assert.equal(headers.vary, compressed ? "Accept-Encoding" : undefined);
    const all = Buffer.concat(chunks);
    assert.ok(all.equals(compressed ? gunzipSync(sent) : sent));
    // One member: of several, curl and browsers read the first alone.
    if (compressed) assert.ok(all.equals(inflateRawSync(sent.subarray(10, -8))));
  });
}

test("a list whose client stops reading is released", () => {
  let left = false;
  function* list(): Generator<Uint8Array> {
    try {
      for (;;) yield Buffer.alloc(10);
    } finally {
      left = true;
    }
  }
  for (const _ of gzipped(requestWith("gzip"), {}, list())) break;
  assert.ok(left);
});

test("a long answer goes out in pieces, and is compressed in pieces", () => {
  const bytes = Buffer.alloc(1_000_000, "abc");
  const body = { kind: "bytes", bytes } as const;
  assert.equal(inPieces({ kind: "bytes", bytes: bytes.subarray(0, size) }).kind, "bytes");
  const pieces = inPieces(body);
  assert.ok(pieces.kind === "chunks");
  assert.deepEqual(gunzipSync(Buffer.concat([...gzipped(requestWith("gzip"), {}, pieces.chunks)])), bytes);
});
