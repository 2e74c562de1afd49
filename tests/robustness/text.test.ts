/** Bytes that are no text, and characters that are seldom meant: kept as Kubernetes keeps them, or refused. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Api, startApi } from "../integration/api.ts";
import { configMaps } from "./target.ts";

let api: Api;
before(async () => {
  api = await startApi();
});

const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const replaced = "\uFFFD";

interface Case {
  readonly name: string;
  readonly body: Uint8Array;
  readonly type?: string;
  /** The value under `a`, or the status of the refusal. */
  readonly expect: string | number;
}
const cases: readonly Case[] = [
  {
    name: "bytes that begin no character",
    body: bytes('{"metadata":{"name":"t0"},"data":{"a":"x', [0xff, 0xfe], '"}}'),
    expect: `x${replaced}${replaced}`,
  },
  { name: "an overlong slash", body: bytes('{"metadata":{"name":"t1"},"data":{"a":"', [0xc0, 0xaf], '"}}'), expect: replaced.repeat(2) },
  {
    name: "half a pair in UTF-8",
    body: bytes('{"metadata":{"name":"t2"},"data":{"a":"', [0xed, 0xa0, 0x80], '"}}'),
    expect: replaced.repeat(3),
  },
  {
    name: "a character cut short by a quote",
    body: bytes('{"metadata":{"name":"t3"},"data":{"a":"', [0xf0, 0x9f, 0x98], '"}}'),
    expect: replaced.repeat(3),
  },
  { name: "an escaped NUL", body: bytes('{"metadata":{"name":"t4"},"data":{"a":"\\u0000"}}'), expect: "\u0000" },
  { name: "half a pair, escaped", body: bytes('{"metadata":{"name":"t5"},"data":{"a":"\\ud800x"}}'), expect: `${replaced}x` },
  {
    name: "both halves in the wrong order",
    body: bytes('{"metadata":{"name":"t6"},"data":{"a":"\\udc00\\ud800"}}'),
    expect: replaced.repeat(2),
  },
  { name: "a raw NUL in a string", body: bytes('{"metadata":{"name":"t7"},"data":{"a":"', [0], '"}}'), expect: 400 },
  { name: "a raw NUL between tokens", body: bytes('{"metadata":', [0], '{"name":"t8"}}'), expect: 400 },
  { name: "nothing but NULs", body: new Uint8Array(1000), expect: 400 },
  { name: "a byte order mark", body: bytes([0xef, 0xbb, 0xbf], '{"metadata":{"name":"t9"}}'), expect: 400 },
  { name: "UTF-16", body: Buffer.from('{"metadata":{"name":"t10"}}', "utf16le"), expect: 400 },
  { name: "a name that is no text", body: bytes('{"metadata":{"name":"t', [0xff], '"}}'), expect: 422 },
  { name: "a key that is no text", body: bytes('{"metadata":{"name":"t11"},"data":{"a', [0xff], '":""}}'), expect: 422 },
  { name: "a field's name that is no text", body: bytes('{"metadata":{"name":"t12"},"data":{"a":"b"},"', [0xff], '":1}'), expect: "b" },
  { name: "NUL in YAML", type: "application/yaml", body: bytes('metadata: {name: t13}\ndata: {a: "', [0], '"}\n'), expect: 400 },
  {
    name: "bytes that are no text in YAML",
    type: "application/yaml",
    body: bytes("metadata: {name: t14}\ndata: {a: x", [0xff], "}\n"),
    expect: `x${replaced}`,
  },
  {
    name: "protobuf that is none",
    type: "application/vnd.kubernetes.protobuf",
    body: bytes([0x6b, 0x38, 0x73, 0x00], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    expect: 400,
  },
  {
    name: "protobuf that ends after its mark",
    type: "application/vnd.kubernetes.protobuf",
    body: bytes([0x6b, 0x38, 0x73, 0x00]),
    expect: 422,
  },
  {
    name: "protobuf that promises gigabytes",
    type: "application/vnd.kubernetes.protobuf",
    body: bytes([0x6b, 0x38, 0x73, 0x00, 0x12, 0xff, 0xff, 0xff, 0xff, 0x07]),
    expect: 400,
  },
];
for (const { name, body, type = "application/json", expect } of cases)
  test(`${name}: ${JSON.stringify(expect)}`, async () => {
    const answer = await api.send("POST", configMaps, { body, type });
    if (typeof expect === "number") assert.equal(answer.status, expect, answer.text);
    else {
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.body.data.a, expect);
      const read = await api.send("GET", `${configMaps}/${answer.body.metadata.name}`);
      assert.equal(read.body.data.a, expect);
    }
  });

const patchTypes = ["application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json"];
for (const type of patchTypes)
  for (const body of [
    new Uint8Array(0),
    bytes([0xff]),
    bytes([0]),
    bytes("{"),
    bytes("null"),
    bytes("1"),
    bytes('"x"'),
    bytes("[1]"),
    bytes("[null]"),
    bytes("[[]]"),
    bytes('[{"op":1}]'),
  ])
    test(`the body ${JSON.stringify(body.toString())} as ${type}`, async () => {
      await api.send("POST", configMaps, { body: { metadata: { name: "patched" } } });
      const { status, text } = await api.send("PATCH", `${configMaps}/patched`, { type, body });
      // To Kubernetes too, a JSON patch that is null is an empty list, and a strategic one an empty object.
      const empty = type !== patchTypes[1] && Buffer.from(body).toString() === "null";
      assert.ok(empty ? status === 200 : status >= 400 && status < 500, `${status} ${text}`);
    });
