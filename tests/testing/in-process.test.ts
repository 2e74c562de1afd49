import assert from "node:assert/strict";
import { test } from "node:test";
import { startCluster } from "coxswain/testing";

const json = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString());

test("a request and its answer", async () => {
  await using cluster = await startCluster();
  const answer = await cluster.transport.send({ method: "GET", path: "/api/v1/namespaces/default", headers: {} });
  assert.equal(answer.status, 200);
  assert.equal(json(await answer.bytes()).metadata.name, "default");
  assert.ok(answer.headers["audit-id"]);
});

test("a watch streams, and ends when its reader leaves", async () => {
  await using cluster = await startCluster();
  const gone = new AbortController();
  const watch = await cluster.transport.send({
    method: "GET",
    path: "/api/v1/namespaces?watch=1&resourceVersion=0",
    headers: {},
    signal: gone.signal,
  });
  const seen: string[] = [];
  await assert.rejects(async () => {
    for await (const chunk of watch.chunks()) {
      for (const line of Buffer.from(chunk).toString().trim().split("\n")) seen.push(JSON.parse(line).object.metadata.name);
      if (seen.length === 4) gone.abort(new Error("enough"));
    }
  }, /enough/);
  assert.equal(seen.length, 4);
});

test("who asks is who the transport is for", async () => {
  await using cluster = await startCluster();
  const jane = cluster.transportFor({ name: "jane", groups: ["devs"] });
  const answer = await jane.send({ method: "GET", path: "/api/v1/pods", headers: { authorization: "Bearer x" } });
  assert.equal(answer.status, 403);
  assert.match(json(await answer.bytes()).message, /User "jane" cannot list/);
});
