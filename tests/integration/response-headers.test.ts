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

const refusedUser = {
  authenticators: [
    () => ({ kind: "authenticated", user: { name: "jane", uid: "", groups: ["system:authenticated"], extra: {} } }) as const,
  ],
};

test("what a browser could take for a page is marked as none", async () => {
  const api = await startApi(refusedUser);
  for (const [path, status, marked] of [
    ["/api/v1/namespaces/<b>/pods", 403, "nosniff"],
    ["/healthz", 200, "nosniff"],
    ["/version", 200, undefined],
  ] as const) {
    const answer = await api.send("GET", path);
    assert.deepEqual([answer.status, answer.headers["x-content-type-options"]], [status, marked], path);
  }
  const nowhere = await (await startApi()).send("GET", "/nope");
  assert.deepEqual([nowhere.status, nowhere.headers["x-content-type-options"]], [404, "nosniff"]);
});

const endings = [
  { name: "JSON", path: "/api/v1/namespaces/default", indented: false },
  { name: "JSON that is asked to be pretty", path: "/api/v1/namespaces/default?pretty=true", indented: true },
  { name: "an error", path: "/api/v1/namespaces/none", indented: false },
  { name: "an error that is asked to be pretty", path: "/api/v1/namespaces/none?pretty=1", indented: true },
  { name: "JSON for curl", path: "/api/v1/namespaces", agent: "curl/8", indented: true },
  { name: "an error for whoever accepts nothing that there is", path: "/api/v1/namespaces", accept: "text/html", indented: true },
];
for (const { name, path, agent, accept, indented } of endings)
  test(`${name} ends ${indented ? "with its brace" : "in a newline"}`, async () => {
    const api = await startApi();
    const headers = agent === undefined ? {} : { "user-agent": agent };
    const { text } = await api.send("GET", path, { headers, ...(accept === undefined ? {} : { accept }) });
    assert.match(text, indented ? /^\{\n {2}"[\s\S]*\n\}$/ : /^\{"[^\n]*\}\n$/);
  });
