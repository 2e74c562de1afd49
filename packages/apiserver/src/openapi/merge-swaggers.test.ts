import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeSwaggers } from "./merge-swaggers.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const to = (name: string) => ({ $ref: `#/definitions/${name}` });
const own = {
  swagger: "2.0",
  paths: { "/apis/a/v1/": { get: { schema: to("Kind") } } },
  definitions: { Kind: { type: "object" }, [meta]: { description: "ours" } },
  parameters: { pretty: { name: "pretty" } },
};

test("without others the document stays the very same", () => {
  assert.equal(mergeSwaggers(own, []), own);
});

test("another document adds its paths with what they refer to, and nothing else", () => {
  const other = {
    paths: { "/apis/b/v1/": { get: { schema: to("Boat"), parameters: [{ $ref: "#/parameters/pretty" }, { $ref: "#/parameters/deep" }] } } },
    definitions: {
      Boat: { properties: { metadata: to(meta), hull: to("Hull") } },
      Hull: { properties: { boat: to("Boat") } },
      Unused: {},
      [meta]: {},
    },
    parameters: { pretty: { name: "pretty" }, deep: { name: "deep" } },
  };
  const merged = mergeSwaggers(own, [other]);
  assert.deepEqual(merged.paths, { ...own.paths, ...other.paths });
  assert.deepEqual(merged.definitions, { ...own.definitions, Boat: other.definitions.Boat, Hull: other.definitions.Hull });
  assert.deepEqual(merged.parameters, { ...own.parameters, deep: { name: "deep" } });
});

test("a name that means something else gets another one, wherever it is referred to", () => {
  const other = {
    paths: { "/apis/b/v1/": { get: { schema: to("Kind") } }, "/apis/a/v1/": { get: {} } },
    definitions: { Kind: { type: "string", not: to("Kind") } },
  };
  const merged = mergeSwaggers(own, [other, other]);
  assert.deepEqual(merged.paths, { ...own.paths, "/apis/b/v1/": { get: { schema: to("Kind_v2") } } });
  const definitions = merged.definitions as Readonly<Record<string, unknown>>;
  assert.deepEqual(definitions.Kind, { type: "object" });
  assert.deepEqual(definitions.Kind_v2, { type: "string", not: to("Kind_v2") });
});

test("references that lead nowhere, or round in circles, are no harm", () => {
  const other = { paths: { "/apis/b/v1/": { get: { schema: to("Gone"), more: { $ref: "http://x/" }, __proto__: null } } } };
  assert.deepEqual(mergeSwaggers(own, [other]).definitions, own.definitions);
});
