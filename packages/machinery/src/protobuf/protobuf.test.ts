import assert from "node:assert/strict";
import { test } from "node:test";
import { compileTypes } from "../types/compile.ts";
import { createProtobufCodec, encodeWatchEvent } from "./protobuf.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const types = compileTypes({
  "x-v1": {
    "io.x.v1.Kind": {
      gvk: [["x", "v1", "Kind"]],
      fields: {
        kind: { type: "string", go: "omit" },
        name: { type: "string", proto: 1, protoType: "string" },
        count: { type: "integer:int64", go: "pointer", proto: 2, protoType: "int64" },
        small: { type: "[integer:int32]", go: "omit", proto: 3, protoType: "repeated int32" },
        next: { type: "io.x.v1.Kind", go: "pointer", proto: 4, protoType: "Kind" },
        data: { type: "{string}", go: "omit", proto: 5, protoType: "map<string,string>" },
        inner: { type: "string", go: "omit", proto: [6, 2], protoType: "string" },
        ratio: { type: "number:double", go: "pointer", proto: 7, protoType: "double" },
        secret: { type: "string:byte", go: "omit", proto: 8, protoType: "bytes" },
        raw: { type: "io.k8s.apimachinery.pkg.runtime.RawExtension", go: "pointer", proto: 9, protoType: ".k8s.io.RawExtension" },
        on: { type: "boolean", go: "omit", proto: 10, protoType: "bool" },
        at: { type: `${meta}.Time`, go: "omit", proto: 11, protoType: "Time" },
        amount: { type: "io.k8s.apimachinery.pkg.api.resource.Quantity", go: "pointer", proto: 12, protoType: "Quantity" },
        port: { type: "io.k8s.apimachinery.pkg.util.intstr.IntOrString", go: "pointer", proto: 13, protoType: "IntOrString" },
      },
    },
    [`${meta}.ListMeta`]: { fields: { resourceVersion: { type: "string", go: "omit", proto: 2, protoType: "string" } } },
  },
});
const codec = createProtobufCodec(types, {
  "k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta": { resourceVersion: [2, "string"] },
  "k8s.io.x.v1.Partial": { name: [1, "string"], secret: [8, "bytes"] },
  "k8s.io.x.v1.PartialList": { metadata: [1, ".k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta"], items: [2, "repeated Partial"] },
});
const kind = types.byKind("x", "v1", "Kind")!;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const bytes = (text: string): Uint8Array => Buffer.from(text, "hex");
const read = (text: string): unknown => codec.decodeMessage(kind, bytes(text));
const bare = { name: "", at: null };

const messages: readonly [name: string, hex: string, expect: object][] = [
  ["nothing is zeros", "", bare],
  ["a zero behind a pointer stays", "1000", { ...bare, count: 0 }],
  ["negative numbers have ten bytes", "10ffffffffffffffffff01", { ...bare, count: -1 }],
  ["64 bits are exact", "10ffffffffffffffff7f", { ...bare, count: 9223372036854775807n }],
  ["numbers one by one", "18011802", { ...bare, small: [1, 2] }],
  ["packed numbers", "1a0301ac02", { ...bare, small: [1, 300] }],
  ["a map", "2a060a016112016b2a050a03c3a962", { ...bare, data: { a: "k", éb: "" } }],
  ["a key __proto__", "2a0f0a095f5f70726f746f5f5f12027878", { ...bare, data: JSON.parse('{"__proto__":"xx"}') as object }],
  ["what JSON inlines", "3203120161", { ...bare, inner: "a" }],
  ["the last scalar wins", "0a01610a0162", { ...bare, name: "b" }],
  ["a message in two pieces is one", "22030a016122021001", { ...bare, next: { name: "a", at: null, count: 1 } }],
  ["unknown fields are skipped", "f8010ffa01026161fd0100000000f90100000000000000000a0161", { ...bare, name: "a" }],
  ["unknown groups too", "fb01080afc010a0161", { ...bare, name: "a" }],
  ["bytes are base64", "420200ff", { ...bare, secret: "AP8=" }],
  ["the empty time is none", "5a00", bare],
  ["raw JSON has Go's escapes", "4a100a0e7b2261223a225c7530303363227d", { ...bare, raw: { a: "<" } }],
  ["raw JSON is parsed", "4a0a0a087b2261223a5b5d7d", { ...bare, raw: { a: [] } }],
  [
    "raw protobuf is decoded",
    "4a190a176b3873000a0c0a04782f763112044b696e6412030a0161",
    { ...bare, raw: { name: "a", at: null, kind: "Kind", apiVersion: "x/v1" } },
  ],
  ["invalid UTF-8 is replaced", "0a02ff61", { ...bare, name: "\uFFFDa" }],
];
for (const [name, text, expect] of messages) test(name, () => assert.deepEqual(read(text), expect));

test("what is no pointer is always written, last bytes first", () => {
  assert.equal(hex(codec.encodeMessage(kind, {})), "0a00320212005000" + "5a00");
  assert.equal(
    hex(codec.encodeMessage(kind, { name: "é", count: -1, data: { b: "", a: "x" }, port: "p", amount: "1" })),
    "0a02c3a9" +
      "10ffffffffffffffffff01" +
      "2a060a0161120178" +
      "2a050a01621200" +
      "32021200" +
      "5000" +
      "5a00" +
      "62030a0131" +
      "6a0708011000" +
      "1a0170",
  );
});

test("long and wide texts survive", () => {
  for (const name of ["a".repeat(5000), "é".repeat(63), `${"a".repeat(63)}é`, "😀"]) {
    assert.equal(codec.decodeMessage(kind, codec.encodeMessage(kind, { name })).name, name);
  }
});

const hostile: readonly [name: string, hex: string, why: RegExp][] = [
  ["a length beyond the end", "0a05616263", /unexpected EOF/],
  ["an enormous length", "0affffffff7f", /unexpected EOF/],
  ["a negative length", "0affffffffffffffffff01", /negative length/],
  ["an endless varint", "10ffffffffffffffffffff01", /integer overflow/],
  ["a varint that ends early", "10ff", /unexpected EOF/],
  ["field number zero", "0200", /illegal tag/],
  ["a reserved wire type", "0f", /wrong wireType = 7 for field Name/],
  ["an unknown reserved wire type", "ff0100", /illegal wireType 7/],
  ["the wrong wire type", "0801", /wrong wireType = 0 for field Name/],
  ["a message that overruns its parent", "22020a056162636465", /unexpected EOF/],
  ["an open group", "fb010801", /unexpected EOF/],
  ["no quantity", "62030a0178", /quantity/],
  ["broken raw JSON", "4a030a017b", /unexpected end of JSON input/],
];
for (const [name, text, why] of hostile)
  test(`refuses ${name}`, () => assert.throws(() => read(text), { name: "DecodeError", message: why }));

test("depth is limited", () => {
  let nested = Uint8Array.of();
  for (let i = 0; i < 1500; i++) nested = codec.encodeMessage(kind, { name: "" }).length === 0 ? nested : wrap(nested);
  assert.throws(() => codec.decodeMessage(kind, nested), { message: "proto: exceeded max depth" });
});

const wrap = (inner: Uint8Array): Uint8Array<ArrayBuffer> => {
  const length = [];
  for (let rest = inner.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Uint8Array.of(0x22, ...length, ...inner);
};

test("an envelope names the kind; what it leaves empty is for the caller to say", () => {
  const envelope = codec.encode(kind, { apiVersion: "x/v1", kind: "Kind", name: "a" });
  assert.deepEqual(codec.decode(envelope), { apiVersion: "x/v1", kind: "Kind", name: "a", at: null });
  const silent = codec.encodeEnvelope({ apiVersion: "", kind: "" }, codec.encodeMessage(kind, { name: "a" }));
  assert.equal(codec.decode(silent, { apiVersion: "x/v1", kind: "Kind" }).name, "a");
  assert.throws(() => codec.decode(silent), /no kind "" is registered/);
  assert.throws(() => codec.decode(Uint8Array.of()), /empty data/);
  assert.throws(() => codec.decode(bytes("7b7d")), /does not appear to be a protobuf message/);
});

test("an envelope may carry JSON", () => {
  const json = Buffer.from('{"name":"a","count":null}').toString("hex");
  const envelope = `6b3873000a0c0a04782f763112044b696e64${`12${(json.length / 2).toString(16).padStart(2, "0")}`}${json}22106170706c69636174696f6e2f6a736f6e`;
  assert.deepEqual(codec.decode(bytes(envelope)), { apiVersion: "x/v1", kind: "Kind", name: "a", at: null });
});

test("a list in pieces is the list in one", () => {
  const header = { apiVersion: "x/v1", kind: "PartialList" };
  const metadata = { resourceVersion: "7" };
  const items = [{ name: "a" }, { name: "b", secret: "AP8=" }];
  const [list, item] = [codec.typeOf("x/v1", "PartialList")!, codec.typeOf("x/v1", "Partial")!];
  const pieces = codec.encodeList(
    header,
    metadata,
    items.map((i) => codec.encodeMessage(item, i)),
  );
  assert.equal(hex(Buffer.concat(pieces)), hex(codec.encode(list, { ...header, metadata, items })));
  assert.deepEqual(codec.decode(Buffer.concat(pieces)), { ...header, metadata, items });
});

test("a watch frame is a length and a WatchEvent", () => {
  assert.equal(hex(encodeWatchEvent("ADDED", bytes("6b387300"))), "0000000f" + "0a054144444544" + "12060a046b387300");
});
