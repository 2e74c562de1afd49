/** What `kubectl get componentstatuses` shows. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Api, type Json, startApi } from "./api.ts";

const target = "/api/v1/componentstatuses";
let api: Api;

before(async () => {
  const componentHealth = new Map([
    ["scheduler", () => true],
    ["controller-manager", () => false],
  ]);
  api = await startApi({ componentHealth });
});

const healthy = (status: string, message: string) => [{ type: "Healthy", status, message }];

test("the components are there, each with its health", async () => {
  const { body } = await api.send("GET", target);
  assert.deepEqual(
    body.items.map(({ metadata, conditions }: Json) => [metadata.name, conditions]),
    [
      ["scheduler", healthy("True", "ok")],
      ["controller-manager", healthy("False", "healthz check failed")],
      ["etcd-0", healthy("True", "ok")],
    ],
  );
});

const selected = [
  { query: "fieldSelector=metadata.name%3Detcd-0", expect: ["etcd-0"] },
  { query: "labelSelector=a%3Db", expect: [] },
];
for (const { query, expect } of selected)
  test(`${query} selects ${expect.join(" and ") || "none"}`, async () => {
    const { body } = await api.send("GET", `${target}?${query}`);
    assert.deepEqual(
      body.items.map(({ metadata }: Json) => metadata.name),
      expect,
    );
  });

test("one that there is not is not found, under the kind's name", async () => {
  assert.deepEqual((await api.send("GET", `${target}/scheduler`)).body.conditions, healthy("True", "ok"));
  const { status, body } = await api.send("GET", `${target}/none`);
  assert.deepEqual(
    [status, body.message, body.details],
    [404, 'componentstatus "none" not found', { name: "none", kind: "componentstatus" }],
  );
});
