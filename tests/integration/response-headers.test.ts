import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "./api.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const ids: readonly { readonly name: string; readonly sent?: string; readonly answered: RegExp }[] = [
  { name: "is made for a request", answered: uuid },
  { name: "is the one that the request brings", sent: "outer-7", answered: /^outer-7$/ },
  { name: "is made for a request that brings an empty one", sent: "", answered: uuid },
  { name: "is made for a request that brings one too long", sent: "x".repeat(65), answered: uuid },
];
for (const { name, sent, answered } of ids) {
  test(`the Audit-Id ${name}, be it answered or refused`, async () => {
    const api = await startApi();
    for (const path of ["/api/v1/namespaces/default", "/api/v1/namespaces/absent", "/version", "/nope"]) {
      const { headers } = await api.send("GET", path, sent === undefined ? {} : { headers: { "audit-id": sent } });
      assert.match(String(headers["audit-id"]), answered);
    }
  });
}

test("aggregated discovery and OpenAPI answer a matching ETag with 304", async () => {
  const api = await startApi();
  const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  for (const [path, accept] of [
    ["/api", aggregated],
    ["/apis", aggregated],
    ["/openapi/v2", "application/json"],
    ["/openapi/v3", "application/json"],
    ["/openapi/v3/apis/apps/v1", "application/json"],
  ] as const) {
    const first = await api.send("GET", path, { accept });
    assert.equal(first.status, 200);
    assert.match(String(first.headers.etag), /^"[0-9A-F]+"$/);
    const again = await api.send("GET", path, { accept, headers: { "if-none-match": String(first.headers.etag) } });
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, "", first.headers.etag]);
    const other = await api.send("GET", path, { accept, headers: { "if-none-match": '"other"' } });
    assert.equal(other.status, 200);
  }
});
