import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { applyDelta, encodeDelta } from "./delta.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const textOf = (value: Uint8Array): string => Buffer.from(value).toString();

const object = (replicas: number, message: string): string =>
  JSON.stringify({
    metadata: { name: "web", labels: { app: "web", tier: "front" }, managedFields: [{ manager: "kubectl", time: `2026-01-0${replicas}` }] },
    spec: { replicas, template: { spec: { containers: [{ name: "web", image: "registry.example/web:1.2.3", args: ["--port=8080"] }] } } },
    status: { replicas, conditions: [{ type: "Available", status: "True", message }] },
  });

test("what a delta makes of its base is the target", () => {
  const piece = fc.constantFrom("abcdefghijklmnopqrstuvwxyz", '"status":"True",', "0123456789abcdef", "x", '{"a":1}');
  const text = fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 40 }).map((all) => all.join(""));
  fc.assert(
    fc.property(text, text, (a, b) => {
      const delta = encodeDelta(bytes(a), bytes(b));
      assert.equal(textOf(applyDelta(bytes(a), delta)), b);
    }),
    { numRuns: 2_000 },
  );
});

test("a write that changes words in several places is a small part of the object", () => {
  const base = bytes(object(3, "Deployment has minimum availability."));
  const target = bytes(object(4, "Deployment does not have minimum availability."));
  const delta = encodeDelta(base, target);
  assert.ok(delta.byteLength < 80, `${delta.byteLength} bytes for ${target.byteLength}`);
  assert.deepEqual(applyDelta(base, delta), new Uint8Array(target));
});

test("objects without anything in common cost little more than themselves", () => {
  const target = Buffer.from(Array.from({ length: 4_000 }, (_, i) => (i * 7919) % 251));
  const delta = encodeDelta(Buffer.alloc(4_000, 0xff), target);
  assert.ok(delta.byteLength <= target.byteLength + 8, `${delta.byteLength}`);
});

test("damaged deltas are errors, or make something of the length that they say", () => {
  const base = bytes(object(1, "one"));
  const delta = encodeDelta(base, bytes(object(2, "two")));
  fc.assert(
    fc.property(fc.nat({ max: delta.byteLength - 1 }), fc.nat({ max: 255 }), fc.boolean(), (at, value, isCut) => {
      const damaged = isCut ? delta.slice(0, at) : delta.slice();
      if (!isCut) damaged[at] = value;
      try {
        assert.ok(applyDelta(base, damaged).byteLength <= 64 * 1024 * 1024);
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
      }
    }),
  );
});
