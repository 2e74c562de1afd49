/** Servers that start on one state, one after the other or at the same moment. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ServerOptions, staticContent } from "@coxswain/apiserver";
import { nameWith } from "@coxswain/pki";
import { issuePair } from "@coxswain/pki/node";
import { createSharedMemory } from "@coxswain/store/testing";
import type { Json } from "../api.ts";
import { letPass, startOn, writesAfter } from "./two-servers.ts";

const everything = [
  "/api/v1/namespaces",
  "/api/v1/services",
  "/apis/networking.k8s.io/v1/servicecidrs",
  "/apis/networking.k8s.io/v1/ipaddresses",
]
  .concat(["/apis/apiregistration.k8s.io/v1/apiservices", "/apis/scheduling.k8s.io/v1/priorityclasses"])
  .concat(["flowschemas", "prioritylevelconfigurations"].map((name) => `/apis/flowcontrol.apiserver.k8s.io/v1/${name}`))
  .concat(["clusterroles", "clusterrolebindings", "roles", "rolebindings"].map((name) => `/apis/rbac.authorization.k8s.io/v1/${name}`));

const silent = { debug: () => undefined, info: () => undefined };

/** What goes wrong is said in the log. */
function failing(problems: unknown[]): Partial<ServerOptions> {
  const report = (fields: object, message: string): void => void problems.push([message, fields]);
  return { log: { ...silent, warn: report, error: report } };
}

for (const count of [2, 3])
  test(`${count} servers that start at the same moment on nothing make each object once, without an error`, async () => {
    const shared = createSharedMemory();
    const problems: unknown[] = [];
    const servers = await Promise.all(Array.from({ length: count }, () => startOn(shared, failing(problems))));
    await letPass(5, ...servers);
    assert.deepEqual(problems, []);
    const created = [...shared.changes].filter(({ event }) => event.type === "put" && event.previous === undefined);
    const keys = created.map(({ event }) => (event.type === "put" ? event.entry.key : ""));
    assert.equal(new Set(keys).size, keys.length);
    const [first, ...others] = servers as [(typeof servers)[0], ...typeof servers];
    for (const target of everything) {
      const { text, body } = await first.send("GET", target);
      assert.ok(body.items.length > 0 || target.endsWith("roles"), target);
      for (const other of others) assert.equal((await other.send("GET", target)).text, text);
    }
  });

test("a server that comes later changes nothing of what is there", async () => {
  const shared = createSharedMemory();
  const one = await startOn(shared);
  await letPass(5, one);
  const { revision } = shared;
  const two = await startOn(shared);
  await letPass(5, one, two);
  assert.deepEqual(writesAfter(shared, revision), []);
});

test("a server with other Service addresses makes none of its own, and says so", async () => {
  const shared = createSharedMemory();
  const problems: unknown[] = [];
  await startOn(shared);
  const { revision } = shared;
  const two = await startOn(shared, { ...failing(problems), serviceClusterIpRange: ["10.97.0.0/16"] });
  assert.deepEqual(writesAfter(shared, revision), []);
  assert.deepEqual((await two.send("GET", "/apis/networking.k8s.io/v1/servicecidrs/kubernetes")).body.spec.cidrs, ["10.96.0.0/12"]);
  assert.match(JSON.stringify(problems), /the ServiceCIDR kubernetes has other ranges than the server was started with/);
});

test("of two that start at the same moment with other Service addresses one has its way, with its address alone", async () => {
  const shared = createSharedMemory();
  const ranges = [["10.96.0.0/12"], ["10.120.0.0/16"]];
  const [one] = await Promise.all(ranges.map((serviceClusterIpRange) => startOn(shared, { serviceClusterIpRange })));
  assert.ok(one);
  const { clusterIP } = (await one.send("GET", "/api/v1/namespaces/default/services/kubernetes")).body.spec;
  const { items } = (await one.send("GET", "/apis/networking.k8s.io/v1/ipaddresses")).body;
  assert.deepEqual(
    items.map(({ metadata }: Json) => metadata.name),
    [clusterIP],
  );
});

test("clients of all servers are known to extension servers, whichever authorities sign for them", async () => {
  const shared = createSharedMemory();
  const authority = (name: string) => issuePair("self", { subject: nameWith(name), usage: "client auth" }, Date.UTC(2026, 0, 1)).cert;
  const [first, second] = [authority("first"), authority("second")];
  const withAuthority = (cert: string): Partial<ServerOptions> => ({
    authentication: { isPublished: true, clientAuthorities: staticContent(() => cert) },
  });
  const servers = await Promise.all([startOn(shared, withAuthority(first)), startOn(shared, withAuthority(second))]);
  const map = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
  for (const server of servers) {
    const bundle = (await server.send("GET", map)).body.data["client-ca-file"];
    assert.ok(bundle.includes(first) && bundle.includes(second), bundle);
  }
  await startOn(shared, withAuthority(first));
  const after = (await servers[0].send("GET", map)).body.data["client-ca-file"];
  assert.ok(after.includes(second));
});
