import assert from "node:assert/strict";
import { test } from "node:test";
import { enabledPlugins } from "./plugins.ts";

const names = (...args: Parameters<typeof enabledPlugins>): readonly string[] => enabledPlugins(...args).map(({ name }) => name);

test("accounts are asked for only where somebody makes them", () => {
  assert.ok(!names().includes("ServiceAccount"));
  assert.equal(names({ enable: ["ServiceAccount"] }).indexOf("ServiceAccount"), 1);
  assert.ok(!names({ enable: ["ServiceAccount"], disable: ["ServiceAccount"] }).includes("ServiceAccount"));
});

test("what is on can be turned off, and what nobody knows is refused", () => {
  assert.ok(!names({ disable: ["Priority"] }).includes("Priority"));
  assert.throws(() => names({ enable: ["No"] }), /admission plugin "No" is unknown/);
});
