import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterRoles, configMaps, namespaces, serviceAccounts } from "@coxswain/client";
import { clusterRoleAggregationController, rootCaPublisherController, serviceAccountController } from "@coxswain/controllers";
import { everyFaultAtEveryStep, type Scenario, startCluster } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;
const settings = { rootCa: "PEM" };

const scenario: Scenario = async ({ client, cluster, signal }) => {
  await using _ = supervised([serviceAccountController, rootCaPublisherController], { client, signal, settings });
  const admin = cluster.client;
  const isWhole = ({ data }: { data?: Record<string, string> }) => data?.["ca.crt"] === "PEM" && Object.keys(data).length === 1;
  await admin.resource(namespaces).create({ metadata: { name: "a" } });
  const { metadata: first } = await cluster.waitFor(serviceAccounts, { namespace: "a", name: "default" }, "create", { timeoutMs });
  await cluster.waitFor(configMaps, { namespace: "a", name: "kube-root-ca.crt" }, isWhole, { timeoutMs });

  await admin.resource(serviceAccounts, "a").delete("default");
  const another = (account: { metadata?: { uid?: string } }) => account.metadata?.uid !== first?.uid;
  await cluster.waitFor(serviceAccounts, { namespace: "a", name: "default" }, another, { timeoutMs });
  const spoilt = { type: "merge", patch: { data: { "ca.crt": "OTHER", more: "" } } } as const;
  await admin.resource(configMaps, "a").patch("kube-root-ca.crt", spoilt);
  await cluster.waitFor(configMaps, { namespace: "a", name: "kube-root-ca.crt" }, isWhole, { timeoutMs });
  for (const { metadata } of (await admin.resource(namespaces).list()).items)
    await cluster.waitFor(serviceAccounts, { namespace: metadata?.name, name: "default" }, "create", { timeoutMs });
};

test("every Namespace has its default ServiceAccount and the root certificate under injected faults", async (t) => {
  const { runs } = await everyFaultAtEveryStep({ scenario, ...chosenFaults });
  t.diagnostic(`${runs} runs`);
  assert.ok(runs > fewestRuns(10), `${runs} runs`);
});

test("another root certificate is published in every Namespace", async () => {
  await using cluster = await startCluster();
  const listeners = new Set<() => void>();
  const rootCa = {
    current: "PEM",
    subscribe(listener: () => void) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
  const stop = new AbortController();
  const running = supervised([rootCaPublisherController], { client: cluster.client, signal: stop.signal, settings: { rootCa } });
  const published = (text: string) => (data: { data?: Record<string, string> }) => data.data?.["ca.crt"] === text;
  for (const namespace of ["default", "kube-system"])
    await cluster.waitFor(configMaps, { namespace, name: "kube-root-ca.crt" }, published("PEM"));
  rootCa.current = "OTHER";
  for (const listener of listeners) listener();
  for (const namespace of ["default", "kube-system"])
    await cluster.waitFor(configMaps, { namespace, name: "kube-root-ca.crt" }, published("OTHER"));
  stop.abort(new Error("the test is over"));
  await running[Symbol.asyncDispose]();
  assert.equal(listeners.size, 0);
});

const aggregation: Scenario = async ({ client, cluster, signal }) => {
  await using _ = supervised([clusterRoleAggregationController], { client, signal });
  const roles = cluster.client.resource(clusterRoles);
  const rule = (resource: string) => ({ apiGroups: ["example.com"], resources: [resource], verbs: ["get"] });
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { to: "sum" } }] };
  await roles.create({ metadata: { name: "sum", labels: { to: "total" } }, aggregationRule });
  await roles.create({ metadata: { name: "total" }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: "total" } }] } });
  await roles.create({ metadata: { name: "a", labels: { to: "sum" } }, rules: [rule("as")] });
  await roles.create({ metadata: { name: "b", labels: { to: "sum" } }, rules: [rule("bs")] });
  const allows =
    (...resources: string[]) =>
    ({ rules }: { rules?: readonly { resources?: string[] }[] }): boolean =>
      (rules ?? []).flatMap((one) => one.resources ?? []).join() === resources.join();
  await cluster.waitFor(clusterRoles, "total", allows("as", "bs"), { timeoutMs });
  await roles.delete("a");
  const { metadata } = await cluster.waitFor(clusterRoles, "total", allows("bs"), { timeoutMs });
  const manager = metadata?.managedFields?.find(({ operation }) => operation === "Apply")?.manager;
  assert.equal(manager, "clusterrole-aggregation-controller");
};

test("aggregated ClusterRoles get the rules of others at any depth under injected faults", async (t) => {
  const { runs } = await everyFaultAtEveryStep({ scenario: aggregation, ...chosenFaults });
  t.diagnostic(`${runs} runs`);
  assert.ok(runs > fewestRuns(10), `${runs} runs`);
});
