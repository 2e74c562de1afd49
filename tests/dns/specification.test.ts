/**
 * Kubernetes' DNS-based service discovery 1.1, clause by clause, for the cluster that CoreDNS was asked about.
 * @see https://github.com/kubernetes/dns/blob/master/docs/specification.md
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { answerQuestion, type ResourceRecord, ServiceIndex } from "@coxswain/dns";
import { formatIp, parseIp } from "@coxswain/machinery";
import { questionOf, textOf } from "./coredns/answer-text.ts";
import { endpointSlices, namespaces, services } from "./coredns/objects.ts";

const index = new ServiceIndex();
for (const name of namespaces) index.setNamespace(name, true);
for (const service of services) index.setService(service);
for (const slice of endpointSlices) index.setEndpointSlice(slice);
const reverseZones = ["in-addr.arpa.", "ip6.arpa."];
const options = { clusterDomain: "cluster.local.", reverseZones, ttl: 30, podMode: "insecure", ownAddresses: [] } as const;

const nibbles = (digits: string): string => `${[...digits].toReversed().join(".")}.ip6.arpa.`;
/** Answers without time and class. */
interface Clause {
  readonly clause: string;
  readonly says: string;
  readonly asked: string;
  readonly answers: readonly string[] | "nothing" | "no data" | "elsewhere";
}

const at = (name: string): string => `${name}.svc.cluster.local.`;

const clauses: readonly Clause[] = [
  {
    clause: "2.1",
    says: "names are compared without case",
    asked: "WEB.SHOP.SVC.CLUSTER.LOCAL. A",
    answers: ["WEB.SHOP.SVC.CLUSTER.LOCAL. A 10.96.1.1"],
  },
  {
    clause: "2.2",
    says: "the version of the schema",
    asked: "dns-version.cluster.local. TXT",
    answers: ['dns-version.cluster.local. TXT "1.1.0"'],
  },
  { clause: "2.3.1", says: "A of a cluster IP", asked: `${at("web.shop")} A`, answers: [`${at("web.shop")} A 10.96.1.1`] },
  { clause: "2.3.1", says: "A of a Service with both", asked: `${at("dual.shop")} A`, answers: [`${at("dual.shop")} A 10.96.1.2`] },
  {
    clause: "2.3.1",
    says: "AAAA of a Service with both",
    asked: `${at("dual.shop")} AAAA`,
    answers: [`${at("dual.shop")} AAAA fd00:96::12`],
  },
  { clause: "2.3.1", says: "no AAAA without IPv6", asked: `${at("web.shop")} AAAA`, answers: "no data" },
  {
    clause: "2.3.2",
    says: "SRV of a named port",
    asked: `_http._tcp.${at("web.shop")} SRV`,
    answers: [`_http._tcp.${at("web.shop")} SRV 0 100 80 ${at("web.shop")}`],
  },
  {
    clause: "2.3.2",
    says: "SRV of a named port of another protocol",
    asked: `_http-udp._udp.${at("web.shop")} SRV`,
    answers: [`_http-udp._udp.${at("web.shop")} SRV 0 100 80 ${at("web.shop")}`],
  },
  { clause: "2.3.2", says: "no SRV for a port of the other protocol", asked: `_http._udp.${at("web.shop")} SRV`, answers: "nothing" },
  { clause: "2.3.2", says: "no SRV of an unnamed port", asked: `_5432._tcp.${at("unnamed.shop")} SRV`, answers: "nothing" },
  {
    clause: "2.3.3",
    says: "PTR of a cluster IP",
    asked: "1.1.96.10.in-addr.arpa. PTR",
    answers: [`1.1.96.10.in-addr.arpa. PTR ${at("web.shop")}`],
  },
  {
    clause: "2.3.3",
    says: "PTR of an IPv6 cluster IP",
    asked: `${nibbles("fd000096000000000000000000000012")} PTR`,
    answers: [`${nibbles("fd000096000000000000000000000012")} PTR ${at("dual.shop")}`],
  },
  {
    clause: "2.4.1",
    says: "A of each ready endpoint, of all slices",
    asked: `${at("peers.shop")} A`,
    answers: [1, 2, 3].map((i) => `${at("peers.shop")} A 10.1.1.${i}`),
  },
  {
    clause: "2.4.1",
    says: "none of an endpoint that is not ready",
    asked: `${at("headless.shop")} A`,
    answers: [1, 3].map((i) => `${at("headless.shop")} A 10.1.2.${i}`),
  },
  { clause: "2.4.1", says: "without ready endpoints the name is not there", asked: `${at("headless-empty.shop")} A`, answers: "nothing" },
  {
    clause: "2.4.1",
    says: "A where slices are of both families",
    asked: `${at("headless-dual.shop")} A`,
    answers: [`${at("headless-dual.shop")} A 10.1.4.1`],
  },
  {
    clause: "2.4.1",
    says: "AAAA where slices are of both families",
    asked: `${at("headless-dual.shop")} AAAA`,
    answers: ["fd00:1::", "fd00:1::1"].map((address) => `${at("headless-dual.shop")} AAAA ${address}`),
  },
  { clause: "2.4.1", says: "A of a hostname", asked: `${at("peers-1.peers.shop")} A`, answers: [`${at("peers-1.peers.shop")} A 10.1.1.2`] },
  {
    clause: "2.4.1",
    says: "AAAA of a hostname that has both",
    asked: `${at("both.headless-dual.shop")} AAAA`,
    answers: [`${at("both.headless-dual.shop")} AAAA fd00:1::1`],
  },
  { clause: "2.4.1", says: "no hostname that no endpoint has", asked: `${at("peers-9.peers.shop")} A`, answers: "nothing" },
  {
    clause: "2.4.2",
    says: "SRV of each endpoint of a port",
    asked: `_http._tcp.${at("peers.shop")} SRV`,
    answers: [0, 1, 2].map((i) => `_http._tcp.${at("peers.shop")} SRV 0 33 8080 ${at(`peers-${i}.peers.shop`)}`),
  },
  { clause: "2.4.2", says: "no SRV without ports", asked: `_http._tcp.${at("headless-portless.shop")} SRV`, answers: "nothing" },
  {
    clause: "2.4.3",
    says: "PTR of an endpoint with a hostname",
    asked: "2.1.1.10.in-addr.arpa. PTR",
    answers: [`2.1.1.10.in-addr.arpa. PTR ${at("peers-1.peers.shop")}`],
  },
  {
    clause: "2.4.3",
    says: "PTR of an IPv6 endpoint",
    asked: `${nibbles("fd000001000000000000000000000001")} PTR`,
    answers: [`${nibbles("fd000001000000000000000000000001")} PTR ${at("both.headless-dual.shop")}`],
  },
  { clause: "2.4.3", says: "none of an endpoint that is not ready", asked: "2.2.1.10.in-addr.arpa. PTR", answers: "elsewhere" },
  {
    clause: "2.5",
    says: "CNAME of an ExternalName Service",
    asked: `${at("external.shop")} CNAME`,
    answers: [`${at("external.shop")} CNAME www.example.org.`],
  },
  {
    clause: "2.6",
    says: "A of the name of a Pod",
    asked: "10-1-0-1.shop.pod.cluster.local. A",
    answers: ["10-1-0-1.shop.pod.cluster.local. A 10.1.0.1"],
  },
];

const short = (record: ResourceRecord): string =>
  textOf(record)
    .replace(/ 30 1 /, " ")
    .replace(/(?<=AAAA ).*/, (digits) => ipText(digits.replaceAll(/.{4}(?!$)/g, "$&:")));

const ipText = (text: string): string => formatIp(parseIp(text) ?? assert.fail(text));

for (const { clause, says, asked, answers } of clauses)
  test(`${clause}: ${says}`, () => {
    const [name = "", type = ""] = asked.split(" ");
    const answer = answerQuestion(questionOf({ name, type }), index, options);
    switch (answer.kind) {
      case "records":
        return assert.deepEqual(answer.answers.map(short).sort(), answers);
      case "outside":
        return assert.deepEqual(answer.aliases.map(short), answers);
      default:
        assert.equal({ noData: "no data", nameError: "nothing", forward: "elsewhere", refused: "refused" }[answer.kind], answers);
    }
  });
