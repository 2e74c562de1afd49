import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { builtinTypes, wireFacts } from "@coxswain/api";
import { createProtobufCodec, type KubeObject } from "@coxswain/machinery";
import { TransformError, type ValueTransformer } from "@coxswain/store";
import { PortBitmap } from "../effects/core/service/port-bitmap.ts";
import { textOf } from "../storage/stored-object.ts";
import { kubeApiserverValues } from "./kube-apiserver-values.ts";

const key = "/registry/configmaps/default/a";
const object: KubeObject & { data: object } = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "default", uid: "u", creationTimestamp: "2026-01-01T00:00:00Z" },
  data: { x: "1" },
};
const json = Buffer.from(JSON.stringify(object));

function protobuf(): Uint8Array {
  const codec = createProtobufCodec(builtinTypes, wireFacts);
  const type = codec.typeOf("v1", "ConfigMap");
  assert.ok(type !== undefined);
  return codec.encode(type, object as never);
}

suite("values of kube-apiserver", () => {
  const values = kubeApiserverValues();

  test("JSON loses the newline behind it, and is not stale", () => {
    const { value, stale } = values.fromStorage(key, Buffer.concat([json, Buffer.from("\n")]));
    assert.deepEqual([textOf(value), stale], [json.toString(), false]);
  });

  test("JSON of this server stays the bytes that it is", () => {
    assert.equal(values.fromStorage(key, json).value, json);
    assert.equal(values.toStorage(key, json), json);
  });

  test("protobuf becomes JSON, and is stale", () => {
    const { value, stale } = values.fromStorage(key, protobuf());
    assert.deepEqual([JSON.parse(textOf(value)), stale], [object, true]);
    assert.match(textOf(value), /^\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{/);
  });

  test("protobuf of a RangeAllocation, which is no resource's, becomes JSON", () => {
    // As kube-apiserver has it: the ports 30000 and 30009 are in use.
    const stored = Buffer.concat([
      Buffer.from("k8s\0"),
      Buffer.from(
        '\n\u0015\n\u0002v1\u0012\u000fRangeAllocation\u0012\u001d\n\u0008\n\0\u0012\0\u001a\0"\0\u0012\u000b30000-32767\u001a\u0004',
        "latin1",
      ),
      Buffer.from([0, 0, 2, 1]),
      Buffer.from('\u001a\0"\0', "latin1"),
    ]);
    const { value, stale } = values.fromStorage("/registry/ranges/servicenodeports", stored);
    assert.deepEqual(JSON.parse(textOf(value)), {
      kind: "RangeAllocation",
      apiVersion: "v1",
      metadata: {},
      range: "30000-32767",
      data: "AAACAQ==",
    });
    assert.equal(stale, true);
    assert.deepEqual(PortBitmap.parse(value)?.ports(), [30000, 30009]);
  });

  test("protobuf that cannot be read is an error of its key", () => {
    for (const broken of [Buffer.from("k8s\0"), protobuf().subarray(0, 30), Buffer.from("k8s\0\xff\xff")])
      assert.throws(() => values.fromStorage(key, broken), TransformError);
  });

  test("what is encrypted is decrypted first", () => {
    const reversed = (bytes: Uint8Array): Buffer => Buffer.from(bytes).reverse();
    const inner: ValueTransformer = {
      generation: 7,
      checkWrite() {},
      toStorage: (_, value) => reversed(value),
      fromStorage: (_, stored) => ({ value: reversed(stored), stale: true }),
    };
    const both = kubeApiserverValues(inner);
    assert.deepEqual(
      [textOf(both.fromStorage(key, reversed(protobuf())).value), both.generation],
      [textOf(values.fromStorage(key, protobuf()).value), 7],
    );
    assert.equal(both.fromStorage(key, reversed(json)).stale, true);
    assert.equal(textOf(both.toStorage(key, json)), reversed(json).toString());
  });
});
