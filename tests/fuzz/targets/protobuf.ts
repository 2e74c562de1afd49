/** Bodies in protobuf: what is read is written and read again as the same. */
import assert from "node:assert/strict";
import { builtinTypes, wireFacts } from "@coxswain/api";
import { createProtobufCodec, DecodeError, deepEqual, type KubeObject } from "@coxswain/machinery";
import type { Random } from "../harness/random.ts";
import { bytesOf, type FuzzTarget, inputOf, unlessRefused } from "../harness/target.ts";

const codec = createProtobufCodec(builtinTypes, wireFacts);

function written(object: KubeObject): string {
  const { apiVersion = "", kind = "" } = object;
  const type = codec.typeOf(apiVersion, kind);
  if (type === undefined) throw new Error(`no type ${kind}`);
  return inputOf(codec.encode(type, object));
}

const objects = [
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a", labels: { a: "b" }, creationTimestamp: "2024-01-01T00:00:00Z" },
    spec: {
      containers: [
        { name: "a", resources: { limits: { cpu: "1" } }, ports: [{ containerPort: 80 }], livenessProbe: { httpGet: { port: "http" } } },
      ],
    },
  },
  { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { a: "YQ==" } },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: { replicas: 3, selector: { matchLabels: { a: "b" } }, template: { spec: { containers: [] } } },
  },
  { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0, preconditions: { uid: "x" } },
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "x.y" },
    spec: { group: "y", versions: [{ name: "v1", schema: { openAPIV3Schema: { type: "object", default: { a: 1 } } } }] },
  },
] as unknown as readonly KubeObject[];

const prefix = "k8s\0";

/** Fields of any number and kind, nested; lengths are mostly right. */
function message(random: Random, depth: number): string {
  let text = "";
  for (let left = random.below(5); left > 0; left--) {
    const field = 1 + random.below(random.oneIn(8) ? 5_000 : 20);
    const kind = random.pick([0, 0, 2, 2, 2, 2, 1, 5, 3, 4, 6]);
    text += varint(BigInt(field * 8 + kind));
    if (kind === 0) text += varint(random.pick([0n, 1n, 127n, 2n ** 31n, 2n ** 63n, 2n ** 64n - 1n]));
    else if (kind === 1) text += "\0\0\0\0\0\0\xf0?";
    else if (kind === 5) text += "\0\0\x80?";
    else if (kind === 2) {
      const inside =
        depth > 0 && random.oneIn(2) ? message(random, depth - 1) : random.pick(["", "a", "name", "\xff", "{}", "1Gi", prefix]);
      text += varint(BigInt(random.oneIn(20) ? random.below(1_000) : inside.length)) + inside;
    }
  }
  return text;
}

function varint(value: bigint): string {
  let text = "";
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return text + String.fromCharCode(Number(rest));
    text += String.fromCharCode(Number(rest & 127n) | 128);
  }
}

export const protobuf: FuzzTarget = {
  name: "protobuf",
  modules: ["machinery/src/protobuf"],
  bytes: true,
  dictionary: [
    prefix,
    "\n\0",
    "\x12\0",
    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    "\xff\xff\xff\xff\x0f",
    "\x0b",
    "\x0c",
    "\x0a\x02v1",
    "\x12\x03Pod",
    "\x80",
  ],
  seeds: objects.map(written),
  generate(random) {
    const { apiVersion = "", kind = "" } = random.pick(objects);
    return inputOf(codec.encodeEnvelope({ apiVersion, kind }, bytesOf(message(random, 5))));
  },
  judge(input) {
    const object = unlessRefused(
      () => codec.decode(bytesOf(input)),
      (error) => error instanceof DecodeError,
    );
    if (object === undefined) return false;
    const type = codec.typeOf(object.apiVersion ?? "", object.kind ?? "");
    assert.ok(type !== undefined, "has read an object of no type");
    const bytes = unlessRefused(
      () => codec.encode(type, object),
      (error) => error instanceof DecodeError,
    );
    if (bytes === undefined) return false;
    const again = codec.decode(bytes);
    assert.ok(deepEqual(again, object), "what it wrote is read otherwise");
    return true;
  },
};
