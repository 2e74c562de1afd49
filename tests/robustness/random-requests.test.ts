/** Random requests: whatever comes, the answer is an answer, and the next request finds the server as it was. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Api, startApi } from "../integration/api.ts";
import { configMap, configMaps } from "./target.ts";

const words = fc.constantFrom(
  ..."api apis v1 apps autoscaling batch core namespaces default kube-system pods configmaps secrets deployments services scale status".split(
    " ",
  ),
  ..."log exec binding eviction finalize proxy watch jobs nodes leases events componentstatuses replicationcontrollers roles".split(" "),
  ..."coordination.k8s.io rbac.authorization.k8s.io authorization.k8s.io selfsubjectaccessreviews policy known openapi v2 v3".split(" "),
  ..."healthz readyz metrics version .. . %2F %00 %ff __proto__ constructor a a.b A".split(" "),
  "",
);
const weird = fc.oneof(fc.string({ maxLength: 12 }), fc.string({ unit: "binary", maxLength: 12 }));
const path = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      configMaps,
      `${configMaps}/known`,
      "/api/v1/namespaces/default/pods/known",
      "/api/v1/namespaces/default/services/known",
      "/apis/apps/v1/namespaces/default/deployments/known/scale",
    ),
  },
  { weight: 4, arbitrary: fc.array(words, { maxLength: 8 }).map((parts) => `/${parts.join("/")}`) },
  { weight: 1, arbitrary: weird.map((text) => `/${text.replaceAll("?", "")}`) },
);
const names = fc.constantFrom(
  ..."limit continue resourceVersion resourceVersionMatch labelSelector fieldSelector timeoutSeconds dryRun fieldManager".split(" "),
  ..."fieldValidation force pretty includeObject sendInitialEvents allowWatchBookmarks gracePeriodSeconds propagationPolicy".split(" "),
);
const values = fc.oneof(
  fc.constantFrom(
    "",
    "0",
    "1",
    "-1",
    "All",
    "true",
    "false",
    "Strict",
    "Exact",
    "NotOlderThan",
    "a=b",
    "metadata.name=known",
    "Orphan",
    "1e9",
    "99999999999999999999",
  ),
  weird,
);
const query = fc
  .array(fc.tuple(names, values), { maxLength: 4 })
  .map((pairs) => pairs.map(([k, v]) => `${k}=${encodeURIComponent(v.toWellFormed())}`).join("&"));

const keys = fc.constantFrom(
  ..."apiVersion kind metadata spec status data name namespace labels annotations finalizers ownerReferences containers image".split(" "),
  ..."template selector matchLabels replicas ports resources limits cpu volumes uid resourceVersion generateName op path from value".split(
    " ",
  ),
  ..."__proto__ constructor $patch $retainKeys $setElementOrder/containers $deleteFromPrimitiveList/finalizers creationTimestamp target".split(
    " ",
  ),
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(
      null,
      true,
      0,
      -1,
      1.5,
      2 ** 53,
      "",
      "a",
      "known",
      "default",
      "v1",
      "ConfigMap",
      "Pod",
      "Deployment",
      "delete",
      "replace",
      "merge",
      "add",
      "/data/a",
      "500m",
      "1Ki",
      "2026-01-01T00:00:00Z",
    ),
    weird,
    fc.array(tie("json"), { maxLength: 4 }),
    fc.array(fc.tuple(keys, tie("json")), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const body = fc.oneof(
  { weight: 6, arbitrary: json.map((value) => Buffer.from(JSON.stringify(value))) },
  { weight: 2, arbitrary: json.map((value) => Buffer.from(JSON.stringify({ metadata: { name: "known" }, data: value, spec: value }))) },
  {
    weight: 2,
    arbitrary: json.map((value) =>
      Buffer.from(
        JSON.stringify([
          { op: "add", path: "/metadata/labels", value },
          { op: "copy", from: "/metadata", path: "/spec" },
        ]),
      ),
    ),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.concat([Buffer.from("k8s\0"), bytes])) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.constant(Buffer.alloc(0)) },
);
const types = fc.constantFrom(
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/json-patch+json",
  "application/apply-patch+yaml",
  "text/plain",
  "__proto__",
);
const accepts = fc.oneof(
  fc.constantFrom(
    "application/json",
    "*/*",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/json;as=Table;g=meta.k8s.io;v=v1",
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  ),
  weird,
);
const request = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "PATCH", "DELETE", "HEAD", "OPTIONS", "nonsense"),
  path,
  query,
  body,
  type: types,
  accept: accepts,
});

async function startKnown(): Promise<Api> {
  const api = await startApi();
  const made = [
    await api.send("POST", configMaps, { body: configMap("known", { a: "1" }) }),
    await api.send("POST", "/api/v1/namespaces/default/pods", {
      body: { metadata: { name: "known" }, spec: { containers: [{ name: "a", image: "a" }] } },
    }),
    await api.send("POST", "/api/v1/namespaces/default/services", {
      body: { metadata: { name: "known" }, spec: { ports: [{ port: 80 }] } },
    }),
    await api.send("POST", "/apis/apps/v1/namespaces/default/deployments", {
      body: {
        metadata: { name: "known" },
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "a" }] } },
        },
      },
    }),
    await api.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "safe" } } }),
    await api.send("POST", "/api/v1/namespaces/safe/configmaps", { body: configMap("canary", { a: "1" }) }),
  ];
  for (const { status, text } of made) assert.equal(status, 201, text);
  return api;
}

test("random requests are answered, and never with an error of the server's own", async () => {
  const api = await startKnown();
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path: where, query: parameters, body: bytes, type, accept }) => {
      const headers = { accept, "content-type": type };
      const reply = await api.server.handle(
        { method, path: where, query: parameters, headers, remoteAddress: "127.0.0.1", http1: false },
        method === "GET" || method === "HEAD" ? new Uint8Array(0) : bytes,
      );
      assert.ok(reply.status >= 200 && reply.status < 600);
      const text =
        reply.body.kind === "bytes"
          ? Buffer.from(reply.body.bytes).toString()
          : reply.body.kind === "chunks"
            ? Buffer.concat([...reply.body.chunks]).toString()
            : "";
      assert.doesNotMatch(text, /the server has an error/);
      if (reply.contentType === "application/json" && reply.body.kind !== "stream" && text !== "") JSON.parse(text);
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
      const canary = await api.send("GET", "/api/v1/namespaces/safe/configmaps/canary");
      if (canary.status !== 200) assert.ok(method === "DELETE" && where.includes("safe"), canary.text);
    }),
    { numRuns: 3_000, seed: 20260101 },
  );
});
