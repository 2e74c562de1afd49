import assert from "node:assert/strict";
import { test } from "node:test";
import { isNoMatch } from "../contracts/discovered.ts";
import { type Script, scriptedClient } from "../rest/scripted-transport.ts";
import { ConnectionError } from "../transport/transport.ts";

const verbs = ["get", "list"];
const pods = {
  resource: "pods",
  responseKind: { group: "", version: "", kind: "Pod" },
  scope: "Namespaced",
  singularResource: "pod",
  verbs,
  shortNames: ["po"],
  subresources: [{ subresource: "log", responseKind: { group: "", version: "", kind: "PodLogOptions" }, verbs: ["get"] }],
};
const seats = { resource: "seats", responseKind: { group: "cinema.example", version: "v1", kind: "Seat" }, scope: "Cluster", verbs };
const group = (name: string, ...versions: readonly object[]) => ({ metadata: { name }, versions });
const aggregated = (...items: readonly object[]) => ({
  body: { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", items },
});

const modern: Script = ({ path }) =>
  path === "/api"
    ? aggregated(group("", { version: "v1", resources: [pods] }))
    : aggregated(
        group("cinema.example", { version: "v1", resources: [seats] }, { version: "v1beta1", resources: [seats] }),
        group("broken.example", { version: "v1", freshness: "Stale" }),
      );

const plain: Readonly<Record<string, object>> = {
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": {
    kind: "APIGroupList",
    groups: [
      { name: "cinema.example", versions: [{ version: "v1" }, { version: "v1beta1" }], preferredVersion: { version: "v1" } },
      { name: "broken.example", versions: [{ version: "v1" }], preferredVersion: { version: "v1" } },
    ],
  },
  "/api/v1": {
    resources: [
      { name: "pods", singularName: "pod", namespaced: true, kind: "Pod", verbs, shortNames: ["po"] },
      { name: "pods/log", namespaced: true, kind: "PodLogOptions", verbs: ["get"] },
    ],
  },
  "/apis/cinema.example/v1": { resources: [{ name: "seats", namespaced: false, kind: "Seat", verbs }] },
  "/apis/cinema.example/v1beta1": { resources: [{ name: "seats", namespaced: false, kind: "Seat", verbs }] },
};
const old: Script = ({ path }) => (plain[path] === undefined ? { status: 500 } : { body: plain[path] });

for (const [name, script] of [
  ["in two requests", modern],
  ["group by group", old],
] as const)
  test(`finds everything ${name}`, async () => {
    const { client } = scriptedClient(script);
    const { resources, failed } = await client.discover();
    assert.deepEqual(resources[0], {
      group: "",
      version: "v1",
      resource: "pods",
      kind: "Pod",
      namespaced: true,
      singular: "pod",
      shortNames: ["po"],
      categories: [],
      verbs,
      subresources: [{ name: "log", verbs: ["get"], responseKind: { group: "", version: "v1", kind: "PodLogOptions" } }],
      preferred: true,
    });
    assert.deepEqual(
      resources.slice(1).map(({ group, version, resource, preferred }) => [group, version, resource, preferred]),
      [
        ["cinema.example", "v1", "seats", true],
        ["cinema.example", "v1beta1", "seats", false],
      ],
    );
    assert.deepEqual(
      failed.map(({ group, version }) => `${group}/${version}`),
      ["broken.example/v1"],
    );
  });

test("asks for the short form", async () => {
  const { client, transport } = scriptedClient(modern);
  await client.discover();
  assert.match(
    transport.requests[0]?.headers.accept ?? "",
    /^application\/json;g=apidiscovery\.k8s\.io;v=v2;as=APIGroupDiscoveryList,.*,application\/json$/,
  );
});

const seat = { apiVersion: "cinema.example/v1", kind: "Seat" };

test("remembers what it has found, and asks once for what several want", async () => {
  const { client, transport } = scriptedClient(modern);
  const refs = await Promise.all([client.refOf(seat), client.refOf({ apiVersion: "v1", kind: "Pod" }), client.refOf(seat)]);
  assert.deepEqual(refs[0], { group: "cinema.example", version: "v1", resource: "seats", kind: "Seat", namespaced: false });
  await client.refOf(seat);
  assert.equal(transport.requests.length, 2);
});

test("looks again for what it does not know, but not without end", async () => {
  let served = false;
  const { client, transport } = scriptedClient((request, count) => (served ? modern(request, count) : aggregated()));
  for (let i = 0; i < 30; i++) await assert.rejects(client.refOf(seat), isNoMatch);
  assert.equal(transport.requests.length, 20);
  served = true;
  (client.clock as { advance?: (ms: number) => void }).advance?.(1_000);
  assert.equal((await client.refOf(seat)).resource, "seats");
});

test("forgets when the server no longer knows the resource", async () => {
  let plural = "seats";
  const { client } = scriptedClient(({ path }) =>
    path.startsWith("/apis/cinema.example") || path === "/api"
      ? { status: 404, headers: {}, body: "404 page not found" }
      : aggregated(group("cinema.example", { version: "v1", resources: [{ ...seats, resource: plural }] })),
  );
  const ref = await client.refOf(seat);
  plural = "places";
  await assert.rejects(client.resource(ref).list(), { code: 404 });
  assert.equal((await client.refOf(seat)).resource, "places");
});

test("one caller's signal does not end the other's wait", async () => {
  const leave = new AbortController();
  const { client } = scriptedClient((request, count) => {
    leave.abort(new Error("enough"));
    return modern(request, count);
  });
  const [left, stayed] = await Promise.allSettled([client.refOf(seat, { signal: leave.signal }), client.refOf(seat)]);
  assert.equal(left.status, "rejected");
  assert.equal(stayed.status, "fulfilled");
});

test("a server that cannot be reached is no missing kind", async () => {
  const { client } = scriptedClient(() => {
    throw new ConnectionError("refused");
  });
  await assert.rejects(client.refOf(seat), ConnectionError);
});

for (const [name, script] of [
  ["in two requests", modern],
  ["group by group", old],
] as const)
  test(`a kind that is missing and one whose server is unreachable have different errors, ${name}`, async () => {
    const { client } = scriptedClient(script);
    const causes: unknown[] = [];
    for (const apiVersion of ["cinema.example/v2", "broken.example/v1"])
      await client.refOf({ apiVersion, kind: "X" }).catch((error: Error) => causes.push(error.cause !== undefined));
    assert.deepEqual(causes, [false, true]);
  });
