import assert from "node:assert/strict";
import { test } from "node:test";
import { fnv1a, safeText, templateHash } from "./template-hash.ts";

const template = { metadata: { labels: { a: "1", b: "2" } }, spec: { containers: [{ name: "c", image: "nginx" }] } };

test("does not depend on the order of fields", () => {
  const same = { spec: { containers: [{ image: "nginx", name: "c" }] }, metadata: { labels: { b: "2", a: "1" } } };
  assert.equal(templateHash(same, undefined), templateHash(template, undefined));
});

test("stays the same from release to release", () => assert.equal(templateHash(template, undefined), "cccb99859"));

test("differs when a collision has been counted", () => {
  const hashes = [undefined, 0, 1, 2].map((count) => templateHash(template, count));
  assert.equal(new Set(hashes).size, 4);
});

const vectors: readonly [text: string, hash: number][] = [
  ["", 0x811c9dc5],
  ["a", 0xe40c292c],
  ["foobar", 0xbf9cf968],
];
for (const [text, hash] of vectors)
  test(`FNV-1a of ${JSON.stringify(text)}`, () => assert.equal(fnv1a(new TextEncoder().encode(text)), hash));

test("writes digits as Kubernetes does", () => assert.equal(safeText("0123456789"), "456789bcdf"));
