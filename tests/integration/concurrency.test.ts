import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, changesAfter, startApi } from "./api.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string, data: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data,
});

test("of two writers that read the same version one succeeds and the other gets 409", async () => {
  const api = await startApi();
  const { body } = await api.send("POST", maps, { body: configMap("seat", { taken: "no" }) });
  const { resourceVersion } = body.metadata;
  const book = (who: string) => api.send("PUT", `${maps}/seat`, { body: configMap("seat", { taken: who }, { resourceVersion }) });
  const answers = await Promise.all([book("ann"), book("bob")]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  const lost = answers.find(({ status }) => status === 409)?.body;
  assert.equal(lost.reason, "Conflict");
  assert.equal(
    lost.message,
    'Operation cannot be fulfilled on configmaps "seat": the object has been modified; please apply your changes to the latest version and try again',
  );
});

test("a thousand races on one counter: every loser gets a conflict, every winner counts", async () => {
  const api = await startApi();
  await api.send("POST", maps, { body: configMap("counter", { n: "0" }) });
  let conflicts = 0;
  const increment = async (): Promise<void> => {
    for (;;) {
      const { body } = await api.send("GET", `${maps}/counter`);
      body.data.n = String(Number(body.data.n) + 1);
      const { status, body: answer } = await api.send("PUT", `${maps}/counter`, { body });
      if (status === 200) return;
      assert.deepEqual([status, answer.reason], [409, "Conflict"]);
      conflicts++;
    }
  };
  for (let round = 0; round < 500; round++) await Promise.all([increment(), increment()]);
  const { body } = await api.send("GET", `${maps}/counter`);
  assert.equal(body.data.n, "1000");
  assert.ok(conflicts > 0);
});

test("sixteen clients that change one object have turns: hardly a write is refused, and none of them falls behind", async () => {
  const api = await startApi({ serving: { maxContendedReadMs: 100 } });
  await api.send("POST", maps, { body: configMap("counter", { n: "0" }) });
  let conflicts = 0;
  const done = new Array<number>(16).fill(0);
  let furthestBehind = 0;
  const increment = async (client: number): Promise<void> => {
    for (;;) {
      const { body } = await api.send("GET", `${maps}/counter`);
      body.data.n = String(Number(body.data.n) + 1);
      const { status } = await api.send("PUT", `${maps}/counter`, { body });
      if (status === 200) break;
      conflicts++;
    }
    done[client] = (done[client] ?? 0) + 1;
    furthestBehind = Math.max(furthestBehind, Math.max(...done) - Math.min(...done));
  };
  const times = 50;
  await Promise.all(
    done.map(async (_, client) => {
      for (let i = 0; i < times; i++) await increment(client);
    }),
  );
  const { body } = await api.send("GET", `${maps}/counter`);
  assert.equal(body.data.n, String(16 * times));
  assert.ok(conflicts < 2 * 16, `${conflicts} conflicts`);
  assert.ok(furthestBehind <= 5, `one was ${furthestBehind} behind`);
});

test("patches without a version never conflict and none is lost", async () => {
  const api = await startApi();
  await api.send("POST", maps, { body: configMap("many", { start: "1" }) });
  const writers = Array.from({ length: 50 }, (_, i) =>
    api.send("PATCH", `${maps}/many`, { type: "application/merge-patch+json", body: { data: { [`k${i}`]: "v" } } }),
  );
  assert.ok((await Promise.all(writers)).every(({ status }) => status === 200));
  const { body } = await api.send("GET", `${maps}/many`);
  assert.equal(Object.keys(body.data).length, 51);
});

/** What a stale version does, everywhere one can be given. */
const stale: readonly { name: string; write: (api: Api, version: string) => Promise<number> }[] = [
  {
    name: "PUT",
    write: async (api, resourceVersion) =>
      (await api.send("PUT", `${maps}/x`, { body: configMap("x", { a: "z" }, { resourceVersion }) })).status,
  },
  ...["application/merge-patch+json", "application/strategic-merge-patch+json"].map((type) => ({
    name: `PATCH ${type}`,
    write: async (api: Api, resourceVersion: string) =>
      (await api.send("PATCH", `${maps}/x`, { type, body: { metadata: { resourceVersion }, data: { a: "z" } } })).status,
  })),
  {
    name: "JSON patch",
    write: async (api, value) => {
      const body = [{ op: "replace", path: "/metadata/resourceVersion", value }];
      return (await api.send("PATCH", `${maps}/x`, { type: "application/json-patch+json", body })).status;
    },
  },
  {
    name: "DELETE",
    write: async (api, resourceVersion) => {
      const body = { kind: "DeleteOptions", apiVersion: "v1", preconditions: { resourceVersion } };
      return (await api.send("DELETE", `${maps}/x`, { body })).status;
    },
  },
];
for (const { name, write } of stale) {
  test(`${name} with a stale version is a conflict and changes nothing`, async () => {
    const api = await startApi();
    const created = await api.send("POST", maps, { body: configMap("x", { a: "1" }) });
    const updated = await api.send("PUT", `${maps}/x`, { body: configMap("x", { a: "2" }) });
    assert.equal(updated.status, 200);
    assert.equal(await write(api, created.body.metadata.resourceVersion), 409);
    assert.deepEqual((await api.send("GET", `${maps}/x`)).body, updated.body);
  });
}

test("kinds that need a version refuse to be written without one", async () => {
  const api = await startApi();
  const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" }, spec: { holderIdentity: "a" } };
  await api.send("POST", leases, { body: lease });
  const { status, body } = await api.send("PUT", `${leases}/l`, { body: lease });
  assert.equal(status, 422);
  assert.match(body.message, /metadata.resourceVersion: Invalid value: 0: must be specified for an update/);
});

test("a write that changes nothing is no write", async () => {
  const api = await startApi();
  const { body } = await api.send("POST", maps, { body: configMap("same", { a: "1" }) });
  const before = api.store.revision;
  for (const type of ["application/merge-patch+json", "application/strategic-merge-patch+json"]) {
    const { body: patched } = await api.send("PATCH", `${maps}/same`, { type, body: { data: { a: "1" } } });
    assert.deepEqual(patched, body);
  }
  await api.send("PUT", `${maps}/same`, { body: { data: { a: "1" }, metadata: { name: "same" }, kind: "ConfigMap", apiVersion: "v1" } });
  assert.deepEqual(changesAfter(api.store, before), []);
  assert.equal((await api.send("GET", `${maps}/same`)).body.metadata.resourceVersion, body.metadata.resourceVersion);
});

test("integers keep 64 bits through JSON, the store and patches", async () => {
  const api = await startApi();
  const text =
    '{"metadata":{"name":"big"},"spec":{"holderIdentity":"x","leaseTransitions":7},"kind":"Lease","apiVersion":"coordination.k8s.io/v1"}';
  const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  assert.equal((await api.send("POST", leases, { body: text })).status, 201);
  const pvs = "/api/v1/namespaces/default/pods";
  const pod = `{"metadata":{"name":"p"},"spec":{"activeDeadlineSeconds":2147483647,"securityContext":{"runAsUser":1,"fsGroup":2},"containers":[{"name":"c","image":"i"}],"terminationGracePeriodSeconds":9007199254740993}}`;
  const created = await api.send("POST", pvs, { body: pod });
  assert.match(created.text, /"terminationGracePeriodSeconds":9007199254740993[,}]/);
  const patched = await api.send("PATCH", `${pvs}/p`, { type: "application/merge-patch+json", body: { metadata: { labels: { a: "b" } } } });
  assert.match(patched.text, /"terminationGracePeriodSeconds":9007199254740993[,}]/);
});
