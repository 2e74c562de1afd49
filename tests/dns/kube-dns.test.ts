/** The Service kube-dns and its EndpointSlices. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointSlices, services } from "@coxswain/client";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { askUdp, dnsUnderTest, questionFor, type TestCluster } from "./dns-under-test.ts";

const kubeDns = { clusterIps: ["10.96.0.10"], addresses: ["192.0.2.10", "2001:db8::10"], port: 53 };

const slicesOf = async ({ client }: TestCluster): Promise<string[]> => {
  const { items } = await client.resource(endpointSlices, "kube-system").list({ labelSelector: "kubernetes.io/service-name=kube-dns" });
  return items.map(({ addressType, endpoints = [] }) => `${addressType} ${endpoints.map(({ addresses }) => addresses)}`).sort();
};

test("makes kube-dns as kubeadm does, and takes its addresses away in the end", { timeout: hangMs }, async () => {
  const under = await dnsUnderTest({ kubeDns });
  const { cluster, dns } = under;
  try {
    await waitUntil("the slices are there", async () => (await slicesOf(cluster)).length === 2);
    const { metadata, spec } = await cluster.client.resource(services, "kube-system").get("kube-dns");
    assert.equal(metadata?.labels?.["k8s-app"], "kube-dns");
    assert.deepEqual(
      [spec?.clusterIP, spec?.ports?.map(({ name, protocol, port, targetPort }) => [name, protocol, port, targetPort])],
      [
        "10.96.0.10",
        [
          ["dns", "UDP", 53, 53],
          ["dns-tcp", "TCP", 53, 53],
        ],
      ],
    );
    assert.deepEqual(await slicesOf(cluster), ["IPv4 192.0.2.10", "IPv6 2001:db8::10"]);
    await waitUntil(
      "it answers its own name",
      async () => (await askUdp(dns.port, questionFor("kube-dns.kube-system.svc.cluster.local."))).rcode === 0,
    );
    await dns[Symbol.asyncDispose]();
    assert.deepEqual(await slicesOf(cluster), []);
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
});

test("leaves a kube-dns alone that selects Pods", { timeout: hangMs }, async () => {
  const under = await dnsUnderTest();
  const { cluster } = under;
  await using _ = under;
  const spec = { clusterIP: "10.96.0.10", selector: { "k8s-app": "kube-dns" }, ports: [{ port: 53 }] };
  const made = await cluster.client.resource(services, "kube-system").create({ metadata: { name: "kube-dns" }, spec });
  await using other = await dnsFor(cluster);
  await waitUntil("it says so", () => other.log.includes("the Service kube-dns selects Pods: it is left to them"));
  assert.deepEqual(await slicesOf(cluster), []);
  const now = await cluster.client.resource(services, "kube-system").get("kube-dns");
  assert.equal(now.metadata?.resourceVersion, made.metadata?.resourceVersion);
});

async function dnsFor(cluster: TestCluster) {
  const { startDns } = await import("@coxswain/dns");
  const log: string[] = [];
  const keep = (_fields: object, message: string): void => void log.push(message);
  const { client } = cluster;
  const { clock, random } = client;
  const listen = { addresses: ["127.0.0.1"], port: 0 };
  const dns = await startDns({ client, clock, random, log: { info: keep, warn: keep, error: keep }, listen, kubeDns });
  return { log, [Symbol.asyncDispose]: () => dns[Symbol.asyncDispose]() };
}
