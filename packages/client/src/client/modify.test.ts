import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict, isConflict, modifiedMessage } from "@coxswain/machinery";
import { configMaps } from "../resources/built-in.ts";
import { type Script, scriptedClient } from "../rest/scripted-transport.ts";

/** A server with one object, on which another client is faster `losses` times. */
function contended(losses: number): { readonly script: Script; readonly written: object[] } {
  let version = 1;
  const written: object[] = [];
  const object = () => ({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "a", namespace: "default", resourceVersion: String(version) },
    data: { n: "1" },
  });
  return {
    written,
    script: ({ method, path, body }) => {
      if (method === "GET") return { body: object() };
      const sent = JSON.parse(new TextDecoder().decode(body));
      if (losses-- > 0) version++;
      if (sent.metadata.resourceVersion !== String(version))
        return { status: 409, body: conflict({ group: "", resource: "configmaps" }, "a", modifiedMessage).status };
      written.push({ path: path.split("?")[0], data: sent.data, resourceVersion: sent.metadata.resourceVersion });
      return { body: sent };
    },
  };
}
const path = "/api/v1/namespaces/default/configmaps/a";

test("reads again and changes again when another client was faster", async () => {
  const { script, written } = contended(2);
  const { client } = scriptedClient(script);
  const versions: unknown[] = [];
  const result = await client.resource(configMaps).modify("a", (draft) => {
    versions.push(draft.metadata?.resourceVersion);
    draft.data = { ...draft.data, mine: "yes" };
  });
  assert.deepEqual(versions, ["1", "2", "3"]);
  assert.deepEqual(written, [{ path, data: { n: "1", mine: "yes" }, resourceVersion: "3" }]);
  assert.deepEqual(result.data, { n: "1", mine: "yes" });
});

test("writes what the function returns, or only the status", async () => {
  const { script, written } = contended(0);
  const { client } = scriptedClient(script);
  await client.resource(configMaps).modify("a", async (draft) => ({ ...draft, data: { x: "y" } }), { subresource: "status" });
  assert.deepEqual(written, [{ path: `${path}/status`, data: { x: "y" }, resourceVersion: "1" }]);
});

test("writes nothing when nothing changes", async () => {
  const { script, written } = contended(0);
  const { client, transport } = scriptedClient(script);
  const object = await client.resource(configMaps).modify("a", (draft) => ({ ...draft, data: { n: "1" } }));
  assert.equal(object.metadata?.resourceVersion, "1");
  assert.deepEqual(written, []);
  assert.equal(transport.requests.length, 1);
});

test("gives up after the given number of attempts", async () => {
  const { script } = contended(100);
  const { client, transport } = scriptedClient(script);
  const modified = client.resource(configMaps).modify("a", (draft) => ({ ...draft, data: {} }), { retry: { attempts: 3 } });
  await assert.rejects(modified, (error) => isConflict(error) && /tried 3 times/.test(error.message));
  assert.equal(transport.requests.length, 6);
});
