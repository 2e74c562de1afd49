import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createResourceRegistry } from "@coxswain/api";
import { StatusError } from "@coxswain/machinery";
import type { HttpRequest, Reply } from "../contracts/http.ts";
import { DiscoveryDocuments } from "./discovery-documents.ts";
import { answerDiscovery, discoveryForm } from "./discovery-handler.ts";

const serverAddress = "127.0.0.1:6443";

const documents = () => new DiscoveryDocuments(createResourceRegistry(), { serverAddress });

const get = (path: string, headers: Record<string, string> = {}): HttpRequest => ({
  method: "GET",
  path,
  query: "",
  headers,
  remoteAddress: "",
  http1: false,
});

const answer = (path: string, headers: Record<string, string> = {}, from = documents()): Promise<Reply | undefined> =>
  answerDiscovery(from, get(path, headers), path.split("/").filter(Boolean));

const bodyOf = (reply: Reply | undefined): Record<string, unknown> => {
  assert.equal(reply?.body.kind, "bytes");
  return JSON.parse(new TextDecoder().decode(reply.body.bytes));
};

const golden = new URL("../../../../tests/golden/", import.meta.url);

interface Step {
  readonly name: string;
  readonly path: string;
  readonly keep?: readonly string[];
}
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
}
function load(file: string): { readonly steps: readonly Step[]; readonly answers: readonly Answer[] } {
  return JSON.parse(readFileSync(new URL(file, golden), "utf8"));
}

test("answers are those recorded of Kubernetes", async () => {
  const { answers } = load("expected/discovery.json");
  for (const [i, { name, path, keep }] of load("scenarios/discovery.json").steps.entries()) {
    const expected = answers[i];
    if (!path.startsWith("/api") || expected === undefined) continue;
    const reply = await answer(path);
    assert.equal(reply?.status ?? 404, expected.status, name);
    if (reply === undefined) continue;
    assert.equal(reply.contentType, expected.type, name);
    const body = JSON.parse(JSON.stringify(bodyOf(reply), (key, value) => (key === "storageVersionHash" ? "HASH" : value)));
    const kept = keep === undefined ? body : Object.fromEntries(keep.map((key) => [key, body[key]]));
    assert.deepEqual(kept, expected.body, name);
  }
});

// The hashes are those of real clusters: they are opaque, but clients compare them.
const hashes = [
  { path: "/api/v1", resource: "pods", hash: "xPOwRZ+Yhw8=" },
  { path: "/api/v1", resource: "events", hash: "r2yiGXH7wu8=" },
  { path: "/apis/events.k8s.io/v1", resource: "events", hash: "r2yiGXH7wu8=" },
  { path: "/apis/autoscaling/v1", resource: "horizontalpodautoscalers", hash: "qwQve8ut294=" },
  { path: "/apis/autoscaling/v2", resource: "horizontalpodautoscalers", hash: "qwQve8ut294=" },
];
for (const { path, resource, hash } of hashes) {
  test(`the storage version of ${path} ${resource} is ${hash}`, async () => {
    const { resources } = bodyOf(await answer(path)) as { resources: { name: string; storageVersionHash?: string }[] };
    assert.equal(resources.find(({ name }) => name === resource)?.storageVersionHash, hash);
  });
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const beta = aggregated.replace("v=v2", "v=v2beta1");
const forms = [
  { accept: undefined, form: "legacy" },
  { accept: "application/json", form: "legacy" },
  { accept: `${aggregated},${beta},application/json`, form: "aggregated" },
  { accept: `${beta},application/json`, form: "legacy" },
  { accept: `${aggregated};profile=nopeer,application/json`, form: "aggregated" },
  { accept: "application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList,application/json", form: "legacy" },
  { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,*/*", form: "legacy" },
  { accept: "application/vnd.kubernetes.protobuf, */*", form: "legacy" },
];
for (const { accept, form } of forms) test(`${accept} asks for ${form}`, () => assert.equal(discoveryForm(accept).form, form));

const encodings = [
  { accept: "application/yaml", type: "application/yaml", starts: "apiVersion: v1\ngroupVersion: apps/v1\nkind: APIResourceList\n" },
  { accept: "application/vnd.kubernetes.protobuf", type: "application/vnd.kubernetes.protobuf", starts: "k8s\0" },
  { accept: "application/vnd.kubernetes.protobuf, */*", type: "application/vnd.kubernetes.protobuf", starts: "k8s\0" },
  { accept: "text/html, */*", type: "application/json", starts: '{"kind":"APIResourceList"' },
];
for (const { accept, type, starts } of encodings) {
  test(`${accept} gets ${type}`, async () => {
    const reply = await answer("/apis/apps/v1", { accept });
    assert.equal(reply?.contentType, type);
    assert.equal(reply.body.kind, "bytes");
    assert.ok(new TextDecoder().decode(reply.body.bytes).startsWith(starts));
  });
}

for (const path of ["/api", "/apis", "/apis/apps", "/api/v1"]) {
  test(`${path} is there as protobuf`, async () => {
    const reply = await answer(path, { accept: "application/vnd.kubernetes.protobuf" });
    assert.equal(reply?.contentType, "application/vnd.kubernetes.protobuf");
  });
}

test("an aggregated answer is there as YAML", async () => {
  const accept = aggregated.replace("json", "yaml");
  const reply = await answer("/apis", { accept });
  assert.equal(reply?.contentType, accept);
  assert.match(String(reply.headers?.etag), /^"[0-9A-F]{128}"$/);
});

test("people get indented JSON", async () => {
  const reply = await answer("/apis", { "user-agent": "curl/8.0" });
  assert.equal(reply?.body.kind, "bytes");
  assert.match(new TextDecoder().decode(reply.body.bytes), /^\{\n {2}"kind": "APIGroupList",\n/);
});

test("a client that accepts nothing there is gets 406", () => {
  assert.throws(
    () => discoveryForm("text/html"),
    (error: unknown) => error instanceof StatusError && error.code === 406,
  );
  return assert.rejects(
    answer("/apis/apps", { accept: "text/html" }),
    (error: unknown) => error instanceof StatusError && error.code === 406,
  );
});

test("an aggregated answer echoes what was asked for, and is not sent twice", async () => {
  const reply = await answer("/apis", { accept: `${aggregated},application/json` });
  assert.equal(reply?.contentType, aggregated);
  const etag = reply.headers?.etag;
  assert.match(String(etag), /^"[0-9A-F]{128}"$/);
  assert.deepEqual({ ...reply.headers }, { etag, vary: "Accept", "cache-control": "public" });
  assert.equal((await answer("/apis", { accept: aggregated, "if-none-match": String(etag) }))?.status, 304);
  assert.equal((await answer("/apis", { accept: aggregated, "if-none-match": '"other"' }))?.status, 200);
});

test("an aggregated answer says what the lists of the groups say", async () => {
  const { items } = bodyOf(await answer("/apis", { accept: aggregated })) as { items: AggregatedGroup[] };
  for (const { metadata, versions } of items) {
    for (const { version, resources } of versions) {
      const list = bodyOf(await answer(`/apis/${metadata.name}/${version}`)) as { resources: { name: string }[] };
      const names = resources.flatMap(({ resource, subresources }) => [
        resource,
        ...(subresources ?? []).map((s) => `${resource}/${s.subresource}`),
      ]);
      assert.deepEqual(
        names,
        list.resources.map(({ name }) => name),
      );
    }
  }
  assert.equal(items[0]?.metadata.name, "apiregistration.k8s.io");
});
interface AggregatedGroup {
  readonly metadata: { readonly name: string };
  readonly versions: readonly {
    readonly version: string;
    readonly resources: readonly { readonly resource: string; readonly subresources?: readonly { readonly subresource: string }[] }[];
  }[];
}

test("a custom resource is discovered as soon as it is there, and gone with it", async () => {
  const registry = createResourceRegistry();
  const from = new DiscoveryDocuments(registry, { serverAddress });
  const seats = registry.find("apps", "v1", "deployments");
  assert.ok(seats);
  assert.equal(await answer("/apis/boats.example.com", {}, from), undefined);
  registry.set({ ...seats, group: "boats.example.com", resource: "seats", kind: "Seat" });
  const expected = { groupVersion: "boats.example.com/v1", version: "v1" };
  assert.deepEqual(bodyOf(await answer("/apis/boats.example.com", {}, from)).preferredVersion, expected);
  assert.equal((await answer("/apis/boats.example.com/v1", {}, from))?.status, 200);
  registry.remove("boats.example.com", "v1", "seats");
  assert.equal(await answer("/apis/boats.example.com/v1", {}, from), undefined);
});

test("documents are made once", () => {
  const from = documents();
  assert.equal(from.apis("aggregated"), from.apis("aggregated"));
  assert.equal(from.resources("apps", "v1"), from.resources("apps", "v1"));
});

for (const path of ["/api/v2", "/api/v1/x", "/apis/nothing", "/apis/apps/v9", "/apis/apps/v1/x", "/apis//v1"]) {
  test(`there is nothing at ${path}`, async () => assert.equal(await answer(path), undefined));
}

test("/api returns the address at which the server is reached now", async () => {
  const options = { serverAddress: "127.0.0.1:1" };
  const from = new DiscoveryDocuments(createResourceRegistry(), options);
  const addressOf = async () => bodyOf(await answer("/api", {}, from)).serverAddressByClientCIDRs;
  assert.deepEqual(await addressOf(), [{ clientCIDR: "0.0.0.0/0", serverAddress: "127.0.0.1:1" }]);
  options.serverAddress = "127.0.0.1:2";
  assert.deepEqual(await addressOf(), [{ clientCIDR: "0.0.0.0/0", serverAddress: "127.0.0.1:2" }]);
});
