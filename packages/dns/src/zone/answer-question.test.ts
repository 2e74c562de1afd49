/** What the recorded answers of CoreDNS in tests/dns do not show: name servers, bounds, and what is not the cluster's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ResourceRecord, recordType } from "../message/message.ts";
import { readName } from "../message/name.ts";
import { addressBytes } from "../message/records.ts";
import { answerQuestion, type ZoneOptions } from "./answer-question.ts";
import { ServiceIndex } from "./service-index.ts";

const own = { text: "10.1.9.9", bytes: addressBytes("10.1.9.9") ?? new Uint8Array(4) };
const options: ZoneOptions = {
  clusterDomain: "cluster.local.",
  reverseZones: ["96.10.in-addr.arpa."],
  ttl: 30,
  podMode: "insecure",
  ownAddresses: [own],
};

function cluster(): ServiceIndex {
  const index = new ServiceIndex();
  index.setNamespace("kube-system", true);
  index.setNamespace("n", true);
  return index;
}

const ask = (index: ServiceIndex, name: string, type: keyof typeof recordType, more: Partial<ZoneOptions> = {}) =>
  answerQuestion({ name, type: recordType[type], class: 1 }, index, { ...options, ...more });

const lines = (records: readonly ResourceRecord[]): string[] =>
  records.map(({ name, type, data }) => `${name} ${type === recordType.A ? data.join(".") : readName(data, 0).name}`);

test("this server is the name server of the zone, by its own address", () => {
  const answer = ask(cluster(), "Cluster.local.", "NS");
  assert.ok(answer.kind === "records");
  assert.deepEqual(lines(answer.answers), ["Cluster.local. ns.dns.Cluster.local."]);
  assert.deepEqual(lines(answer.additionals), ["ns.dns.Cluster.local. 10.1.9.9"]);
  const address = ask(cluster(), "ns.dns.cluster.local.", "A");
  assert.ok(address.kind === "records");
  assert.deepEqual(lines(address.answers), ["ns.dns.cluster.local. 10.1.9.9"]);
  assert.equal(ask(cluster(), "ns.dns.cluster.local.", "AAAA").kind, "noData");
  assert.equal(ask(cluster(), "ns.dns.cluster.local.", "MX").kind, "noData");
  assert.equal(ask(cluster(), "cluster.local.", "NS", { ownAddresses: [] }).kind, "noData");
});

for (const { clusterIP, target, address } of [
  { clusterIP: "10.96.0.10", target: "kube-dns.kube-system.svc.cluster.local.", address: "10.96.0.10" },
  { clusterIP: "None", target: "10-1-9-9.kube-dns.kube-system.svc.cluster.local.", address: "10.1.9.9" },
])
  test(`where a Service with the address ${clusterIP} leads to it, that is the name server`, () => {
    const index = cluster();
    index.setService({ metadata: { namespace: "kube-system", name: "kube-dns" }, spec: { clusterIP } });
    const labels = { "kubernetes.io/service-name": "kube-dns" };
    index.setEndpointSlice({
      metadata: { namespace: "kube-system", name: "s", labels },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.1.9.9"] }],
    });
    const answer = ask(index, "cluster.local.", "NS");
    assert.ok(answer.kind === "records");
    assert.deepEqual(lines(answer.answers), [`cluster.local. ${target}`]);
    assert.deepEqual(lines(answer.additionals), [`${target} ${address}`]);
  });

const elsewhere: readonly { name: string; type: keyof typeof recordType; kind: string }[] = [
  { name: "example.org.", type: "A", kind: "forward" },
  { name: "local.", type: "A", kind: "forward" },
  { name: "notcluster.local.", type: "A", kind: "forward" },
  { name: ".", type: "NS", kind: "forward" },
  { name: "1.0.168.192.in-addr.arpa.", type: "PTR", kind: "forward" },
  { name: "1.0.96.10.in-addr.arpa.", type: "PTR", kind: "forward" },
  { name: "cluster.local.", type: "AXFR", kind: "refused" },
  { name: "missing.n.svc.cluster.local.", type: "A", kind: "nameError" },
  { name: "n.svc.cluster.local.", type: "A", kind: "noData" },
];
for (const { name, type, kind } of elsewhere)
  test(`${type} of ${name}: ${kind}`, () => assert.equal(ask(cluster(), name, type).kind, kind));

test("a chain of ExternalName Services is followed, but not for ever", () => {
  const index = cluster();
  const external = (name: string, externalName: string): void =>
    index.setService({ metadata: { namespace: "n", name }, spec: { type: "ExternalName", externalName } });
  for (let i = 0; i < 30; i++) external(`e${i}`, `e${i + 1}.n.svc.cluster.local`);
  external("e30", "example.org");
  assert.equal(ask(index, "e0.n.svc.cluster.local.", "A").kind, "noData");
  const answer = ask(index, "e22.n.svc.cluster.local.", "A");
  assert.ok(answer.kind === "outside");
  assert.deepEqual([answer.target, answer.aliases.length], ["example.org.", 9]);
});

test("another domain and another time are the options'", () => {
  const index = cluster();
  index.setService({ metadata: { namespace: "n", name: "web" }, spec: { clusterIP: "10.96.1.1" } });
  const more = { clusterDomain: "example.test.", ttl: 5 };
  const answer = ask(index, "web.n.svc.example.test.", "A", more);
  assert.ok(answer.kind === "records");
  assert.equal(answer.answers[0]?.ttl, 5);
  assert.equal(ask(index, "web.n.svc.cluster.local.", "A", more).kind, "forward");
});
