import assert from "node:assert/strict";
import { test } from "node:test";
import { expired, isExpired } from "@coxswain/machinery";
import { configMaps } from "../resources/built-in.ts";
import { type ScriptedAnswer, scriptedClient } from "./scripted-transport.ts";

const page = (names: readonly string[], next = ""): ScriptedAnswer => ({
  body: {
    kind: "ConfigMapList",
    apiVersion: "v1",
    metadata: { resourceVersion: "9", continue: next },
    items: names.map((name) => ({ metadata: { name } })),
  },
});
const gone: ScriptedAnswer = { status: 410, body: expired("too old", { continue: "elsewhere" }).status };

test("lists page by page, and says of each object what it is", async () => {
  const { client, transport } = scriptedClient((_, count) => (count === 1 ? page(["a", "b"], "t/1") : page(["c"])));
  const { items, resourceVersion } = await client
    .resource(configMaps, "shop")
    .list({ pageSize: 2, labelSelector: "x", resourceVersion: "5" });
  assert.deepEqual(
    items.map(({ kind, apiVersion, metadata }) => [kind, apiVersion, metadata?.name]),
    [
      ["ConfigMap", "v1", "a"],
      ["ConfigMap", "v1", "b"],
      ["ConfigMap", "v1", "c"],
    ],
  );
  assert.equal(resourceVersion, "9");
  assert.deepEqual(
    transport.requests.map(({ path }) => path.split("?")[1]),
    ["labelSelector=x&limit=2&resourceVersion=5", "labelSelector=x&limit=2&continue=t%2F1"],
  );
});

test("an empty list has no items", async () => {
  const { client } = scriptedClient(() => ({
    body: { kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "9" }, items: null },
  }));
  assert.deepEqual(await client.resource(configMaps).list(), { resourceVersion: "9", items: [] });
});

test("a list whose snapshot has expired restarts and is complete", async () => {
  const answers = [page(["a"], "t"), gone, page(["b", "c"])];
  const { client, transport } = scriptedClient((_, count) => answers[count - 1] ?? gone);
  const { items } = await client.resource(configMaps).list();
  assert.deepEqual(
    items.map(({ metadata }) => metadata?.name),
    ["b", "c"],
  );
  assert.equal(transport.requests[2]?.path, "/api/v1/configmaps");
});

test("pages throw when their snapshot has expired", async () => {
  const { client } = scriptedClient((_, count) => (count === 1 ? page(["a"], "t") : gone));
  const seen: number[] = [];
  await assert.rejects(async () => {
    for await (const { items } of client.resource(configMaps).pages()) seen.push(items.length);
  }, isExpired);
  assert.deepEqual(seen, [1]);
});

test("a list at a version that was never there fails", async () => {
  const { client } = scriptedClient(() => gone);
  await assert.rejects(client.resource(configMaps).list({ resourceVersion: "1", resourceVersionMatch: "Exact" }), isExpired);
});
