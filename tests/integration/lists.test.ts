import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetHistory } from "../store-under-test.ts";
import { type Api, type Json, startApi } from "./api.ts";

const maps = "/api/v1/namespaces/default/configmaps";

async function filled(count: number): Promise<Api> {
  const api = await startApi();
  for (let i = 0; i < count; i++) {
    const name = `m${String(i).padStart(3, "0")}`;
    await api.send("POST", maps, {
      body: { metadata: { name, labels: { parity: i % 2 === 0 ? "even" : "odd" } }, data: { i: String(i) } },
    });
  }
  return api;
}

const names = (body: Json): string[] => body.items.map((item: Json) => item.metadata.name);

async function allPages(api: Api, query: string, between?: () => Promise<unknown>): Promise<{ names: string[]; versions: Set<string> }> {
  const found: string[] = [];
  const versions = new Set<string>();
  let token: string | undefined;
  do {
    const { status, body } = await api.send("GET", `${maps}?${query}${token === undefined ? "" : `&continue=${token}`}`);
    assert.equal(status, 200);
    found.push(...names(body));
    versions.add(body.metadata.resourceVersion);
    token = body.metadata.continue;
    await between?.();
  } while (token !== undefined);
  return { names: found, versions };
}

test("pages of a list share one snapshot despite writes between them", async () => {
  const api = await filled(25);
  let n = 0;
  const pages = await allPages(api, "limit=4", async () => {
    await api.send("POST", maps, { body: { metadata: { name: `m000-new${n++}` } } });
    await api.send("DELETE", `${maps}/m02${n % 5}`);
  });
  assert.equal(pages.versions.size, 1);
  assert.deepEqual(
    pages.names,
    Array.from({ length: 25 }, (_, i) => `m${String(i).padStart(3, "0")}`),
  );
});

test("pages of a selection hold all of it and have no remainingItemCount", async () => {
  const api = await filled(25);
  const { body } = await api.send("GET", `${maps}?limit=3&labelSelector=parity%3Dodd`);
  assert.equal(body.metadata.remainingItemCount, undefined);
  assert.equal((await allPages(api, "limit=3&labelSelector=parity%3Dodd")).names.length, 12);
});

test("a page says how many items are left", async () => {
  const api = await filled(10);
  const { body } = await api.send("GET", `${maps}?limit=4`);
  assert.equal(body.metadata.remainingItemCount, 6);
});

test("a token whose snapshot is gone answers 410 with one that goes on from now", async () => {
  const api = await filled(6);
  const { body: first } = await api.send("GET", `${maps}?limit=2`);
  await api.send("POST", maps, { body: { metadata: { name: "later" } } });
  await forgetHistory(api.store);
  const expired = await api.send("GET", `${maps}?limit=2&continue=${first.metadata.continue}`);
  assert.deepEqual([expired.status, expired.body.reason], [410, "Expired"]);
  const rest = await api.send("GET", `${maps}?continue=${expired.body.metadata.continue}`);
  assert.deepEqual(
    names(rest.body),
    ["later", "m002", "m003", "m004", "m005"]
      .sort()
      .filter((name) => name > "m001" || name === "later")
      .filter((name) => name > "m001"),
  );
});

test("a version that is not reached is waited for, then answered with a timeout", async () => {
  const api = await startApi();
  const answer = api.send("GET", `${maps}?resourceVersion=${2 ** 50}`);
  const ticking = setInterval(() => api.clock.advance(100), 1);
  const { status, body } = await answer.finally(() => clearInterval(ticking));
  assert.deepEqual([status, body.details.causes[0].reason, body.details.retryAfterSeconds], [504, "ResourceVersionTooLarge", 1]);
});

test("all forms of a list agree", async () => {
  const api = await filled(5);
  const plain = await api.send("GET", maps);
  const table = await api.send("GET", maps, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" });
  const metadata = await api.send("GET", maps, { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" });
  const yaml = await api.send("GET", maps, { accept: "application/yaml" });
  assert.equal(table.body.kind, "Table");
  assert.deepEqual(
    table.body.rows.map((row: Json) => row.cells[0]),
    names(plain.body),
  );
  assert.deepEqual(names(metadata.body), names(plain.body));
  assert.equal(metadata.body.items[0].data, undefined);
  assert.equal(yaml.type, "application/yaml");
  assert.match(yaml.text, /^apiVersion: v1\nitems:\n- data:\n/);
});

test("a list over all namespaces is in order of namespace and name", async () => {
  const api = await filled(2);
  await api.send("POST", "/api/v1/namespaces/kube-public/configmaps", { body: { metadata: { name: "a" } } });
  const { body } = await api.send("GET", "/api/v1/configmaps");
  assert.deepEqual(names(body), ["m000", "m001", "a"]);
});

const selections = [
  { path: "/api/v1/namespaces", field: "metadata.namespace", message: "field label not supported: metadata.namespace" },
  { path: "/api/v1/nodes", field: "metadata.namespace", message: "field label not supported: metadata.namespace" },
  { path: "/apis/batch/v1/jobs", field: "spec.x", message: 'field label "spec.x" not supported for Job' },
  {
    path: "/apis/apps/v1/replicasets",
    field: "status.replicas",
    message: '"status.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"',
  },
  { path: "/api/v1/replicationcontrollers", field: "status.replicas", message: undefined },
  {
    path: "/apis/resource.k8s.io/v1/resourceslices",
    field: "spec.x",
    message: "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.x",
  },
  { path: "/apis/rbac.authorization.k8s.io/v1/clusterroles", field: "metadata.namespace", message: undefined },
  { path: "/api/v1/pods", field: "spec.host", message: undefined },
];
for (const { path, field, message } of selections) {
  test(`${path} ${message === undefined ? "can" : "cannot"} be selected by ${field}`, async () => {
    const { status, body } = await (await startApi()).send("GET", `${path}?fieldSelector=${field}%3Dx`);
    assert.deepEqual([status, body.message], [message === undefined ? 200 : 400, message]);
  });
}

test("a version that is no number is refused with a reason", async () => {
  const api = await startApi();
  for (const [method, version, why] of [
    ["GET", "abc", "invalid syntax"],
    ["GET", "-1", "invalid syntax"],
    ["GET", "99999999999999999999", "value out of range"],
    ["DELETE", "abc", "invalid syntax"],
  ] as const) {
    const { status, body } = await api.send(method, `${maps}?resourceVersion=${version}`);
    assert.deepEqual(
      [status, body.reason, body.message],
      [
        400,
        "BadRequest",
        `invalid resource version: resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": ${why}`,
      ],
    );
  }
});

test("a list with resourceVersion=0 ignores the limit, except for events", async () => {
  const api = await startApi();
  const events = "/api/v1/namespaces/default/events";
  for (const name of ["a", "b", "c"]) {
    await api.send("POST", maps, { body: { metadata: { name } } });
    await api.send("POST", events, { body: { metadata: { name }, involvedObject: { namespace: "default" } } });
  }
  const shown = async (target: string) => {
    const { body } = await api.send("GET", target);
    return [body.items.length, body.metadata.continue !== undefined];
  };
  assert.deepEqual(await shown(`${maps}?limit=1`), [1, true]);
  assert.deepEqual(await shown(`${maps}?limit=1&resourceVersion=0`), [3, false]);
  assert.deepEqual(await shown(`${maps}?limit=1&resourceVersion=0&resourceVersionMatch=NotOlderThan`), [3, false]);
  assert.deepEqual(await shown(`${events}?limit=1&resourceVersion=0`), [1, true]);
  const { body } = await api.send("GET", `${maps}?limit=1`);
  assert.deepEqual(await shown(`${maps}?limit=1&resourceVersion=0&continue=${body.metadata.continue}`), [1, true]);
});
