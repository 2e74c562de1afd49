import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, namespaces, serviceAccounts } from "@coxswain/client";
import { rootCaPublisherController, serviceAccountController } from "@coxswain/controllers";
import { everyFaultAtEveryStep, type Scenario } from "coxswain/testing";
import { chosenFaults } from "./fault-choice.ts";
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

test("every Namespace has its default ServiceAccount and the root certificate, whatever happens whenever", async () => {
  const { runs } = await everyFaultAtEveryStep({ scenario, faults: chosenFaults });
  assert.ok(runs > 10, `${runs} runs`);
});
