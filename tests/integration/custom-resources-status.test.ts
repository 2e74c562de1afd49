/** The status of custom resources, where it is a subresource. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "./api.ts";
import { applyPatch, define, definitionOf, schemaOf, widgets } from "./custom-resources.ts";

const status = { type: "object", default: { phase: "Waiting" }, properties: { phase: { type: "string" } } };
const definition = definitionOf({
  v1: { schema: schemaOf({ properties: { spec: { type: "object" }, status } }), subresources: { status: {} } },
});
const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "x" }, spec: {} };

test("status is dropped on creation, but its defaults are set", async () => {
  const api = await startApi();
  await define(api, definition);
  const created = await api.send("POST", widgets, { body: { ...widget, status: { phase: "Done" } } });
  assert.deepEqual(created.body.status, { phase: "Waiting" });
  assert.deepEqual((await api.send("GET", `${widgets}/x`)).body, created.body);
});

test("an apply that changes nothing leaves it, and all else, as it was", async () => {
  const api = await startApi();
  await define(api, definition);
  const path = `${widgets}/x?fieldManager=one`;
  const first = await api.send("PATCH", path, { type: applyPatch, body: widget });
  api.clock.advance(60_000);
  const second = await api.send("PATCH", path, { type: applyPatch, body: widget });
  assert.deepEqual(second.body, first.body);
});
