import assert from "node:assert/strict";
import { test } from "node:test";
import { enabledPlugins } from "./plugins.ts";

const names = (...args: Parameters<typeof enabledPlugins>): readonly string[] => enabledPlugins(...args).map(({ name }) => name);

test("ServiceAccount is off unless it is enabled, and off when it is disabled too", () => {
  assert.ok(!names().includes("ServiceAccount"));
  assert.equal(names({ enable: ["ServiceAccount"] }).indexOf("ServiceAccount"), 1);
  assert.ok(!names({ enable: ["ServiceAccount"], disable: ["ServiceAccount"] }).includes("ServiceAccount"));
});

test("a plugin that is on can be turned off, and an unknown name is refused", () => {
  assert.ok(!names({ disable: ["Priority"] }).includes("Priority"));
  assert.throws(() => names({ enable: ["No"] }), /admission plugin "No" is unknown/);
});
