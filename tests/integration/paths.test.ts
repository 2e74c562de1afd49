/** What is no resource: discovery's own paths, health, and paths without a handler. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "./api.ts";

const plain = "404 page not found\n";
const status = (message: string): RegExp => new RegExp(`"message":"${message}"`);
const unknown = status("the server could not find the requested resource");
const notAllowed = status("the server does not allow this method on the requested resource");

const cases: readonly { readonly method?: string; readonly path: string; readonly code: number; readonly text?: string | RegExp }[] = [
  { path: "/api/", code: 200 },
  { path: "/apis/apps/v1/", code: 200 },
  { path: "/version/", code: 200 },
  { path: "/nope", code: 404, text: plain },
  { method: "POST", path: "/nope", code: 404, text: plain },
  { method: "OPTIONS", path: "/nope/nope", code: 404, text: plain },
  { path: "/apis/nope.example.com", code: 404, text: plain },
  { path: "/apis/nope.example.com/v1/things", code: 404, text: plain },
  { path: "/apis/apps/v9", code: 404, text: unknown },
  { path: "/api/v9", code: 404, text: unknown },
  { path: "/api/v1/nope", code: 404, text: unknown },
  { method: "POST", path: "/version", code: 405, text: notAllowed },
  { method: "HEAD", path: "/api/v1/namespaces/default", code: 405, text: notAllowed },
  { method: "HEAD", path: "/apis/apps/v1/deployments", code: 405, text: notAllowed },
  { method: "HEAD", path: "/healthz", code: 200 },
  { method: "POST", path: "/healthz", code: 200, text: "ok" },
  { method: "POST", path: "/metrics", code: 200 },
  { method: "POST", path: "/openapi/v3", code: 200 },
  { method: "OPTIONS", path: "/api/v1/namespaces", code: 405, text: notAllowed },
  { path: "/healthz", code: 200, text: "ok" },
  { path: "/livez/ping", code: 200, text: "ok" },
  { path: "/livez/shutdown", code: 404, text: plain },
  { path: "/livez?verbose", code: 200, text: "[+]ping ok\n[+]log ok\n[+]etcd ok\nlivez check passed\n" },
  {
    path: "/livez?verbose=&exclude=ping&exclude=x&exclude=y",
    code: 200,
    text: '[+]ping excluded: ok\n[+]log ok\n[+]etcd ok\nwarn: some health checks cannot be excluded: no matches for "x","y"\nlivez check passed\n',
  },
];
for (const { method = "GET", path, code, text } of cases) {
  test(`${method} ${path} is answered with ${code}`, async () => {
    const api = await startApi();
    const answer = await api.send(method, path);
    assert.equal(answer.status, code);
    if (typeof text === "string") assert.equal(answer.text, text);
    else if (text !== undefined) assert.match(answer.text, text);
  });
}

test("a store that cannot be read fails health, and only its own checks", async () => {
  const api = await startApi();
  api.store.get = () => Promise.reject(new Error("the disk is gone"));
  const failed = await api.send("GET", "/readyz?exclude=ping");
  assert.equal(failed.status, 500);
  assert.match(failed.text, /^\[\+\]ping excluded: ok\n\[\+\]log ok\n\[-\]etcd failed: reason withheld\n/);
  assert.match(failed.text, /\nreadyz check failed\n$/);
  assert.equal((await api.send("GET", "/readyz/etcd")).status, 500);
  assert.equal((await api.send("GET", "/readyz?exclude=etcd")).status, 500);
  assert.equal((await api.send("GET", "/readyz?exclude=etcd&exclude=etcd-readiness")).status, 200);
});

test("the root lists every path that is served", async () => {
  const api = await startApi();
  const paths: string[] = (await api.send("GET", "/")).body.paths;
  for (const path of ["/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/livez/ping", "/openapi/v3", "/version"])
    assert.ok(paths.includes(path), path);
  assert.deepEqual(paths, [...new Set(paths)].sort());
  for (const path of paths) assert.equal((await api.send("GET", path)).status, 200, path);
});

test("a closed server is not ready, but alive", async () => {
  const api = await startApi();
  await api.server.close();
  assert.equal((await api.send("GET", "/readyz")).status, 500);
  assert.equal((await api.send("GET", "/livez")).status, 200);
});

test("a server whose store cannot be written is neither alive nor ready", async () => {
  const api = await startApi();
  Object.defineProperty(api.store, "writeFailure", { value: new Error("the thread has ended") });
  for (const endpoint of ["livez", "readyz", "healthz"]) {
    const { status, text } = await api.send("GET", `/${endpoint}`);
    assert.deepEqual([status, /\[-\]etcd failed/.test(text)], [500, true], endpoint);
  }
});
