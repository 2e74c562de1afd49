/**
 * Questions from anywhere, asked of a cluster with names of all kinds, and answered from elsewhere with the same hostile bytes: each has
 * one answer to its number, which can be read and is as small as the asker takes.
 */
import assert from "node:assert/strict";
import { ManualClock } from "@coxswain/machinery";
import type { Random } from "../../../../tests/fuzz/harness/random.ts";
import { bytesOf, type FuzzTarget, inputOf } from "../../../../tests/fuzz/harness/target.ts";
import { decodeHeader, decodeMessage } from "../message/decode-message.ts";
import { encodeMessage } from "../message/encode-message.ts";
import { FormatError } from "../message/format-error.ts";
import { Forwarder } from "../upstream/forwarder.ts";
import { ServiceIndex } from "../zone/service-index.ts";
import { DnsMetrics } from "./dns-metrics.ts";
import { QueryHandler } from "./query-handler.ts";

const names = ["web", "peers", "many", "out", "inside", "self", "long", "p-0.peers", "_a._tcp.web", "_a._tcp.many", "10-1-0-1.n", "x.y.z"];
const zones = ["n.svc.cluster.local.", "svc.cluster.local.", "pod.cluster.local.", "cluster.local.", "in-addr.arpa.", "example.org.", ""];
const types = [1, 2, 5, 6, 12, 16, 28, 33, 41, 65, 251, 252, 255];

function question(random: Random): string {
  const name = `${random.pick(names)}.${random.pick(zones)}`;
  const message = {
    ...decodeMessage(bytesOf(seed)),
    id: random.below(0x10000),
    opcode: random.oneIn(8) ? random.below(16) : 0,
    isResponse: random.oneIn(20),
    questions: [{ name: random.oneIn(4) ? name.toUpperCase() : name, type: random.pick(types), class: random.oneIn(10) ? 3 : 1 }],
    edns: random.oneIn(2) ? undefined : { udpSize: random.below(0x10000), version: random.oneIn(8) ? 1 : 0, dnssecOk: random.oneIn(2) },
  };
  return inputOf(encodeMessage(message));
}

const seed = "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03web\x01n\x03svc\x07cluster\x05local\x00\x00\x01\x00\x01";

function cluster(): ServiceIndex {
  const index = new ServiceIndex();
  const metadata = (name: string) => ({ namespace: "n", name });
  const ports = [{ name: "a", port: 80 }];
  const external = (name: string, externalName: string): void =>
    index.setService({ metadata: metadata(name), spec: { type: "ExternalName", externalName } });
  index.setNamespace("n", true);
  index.setService({ metadata: metadata("web"), spec: { clusterIPs: ["10.96.0.1", "fd00::1"], ports } });
  for (const [name, count] of [
    ["peers", 2],
    ["many", 500],
  ] as const) {
    index.setService({ metadata: metadata(name), spec: { clusterIP: "None", ports } });
    const endpoints = Array.from({ length: count }, (_, i) => ({ addresses: [`10.1.${i >> 8}.${i & 255}`], hostname: `p-${i}` }));
    const labels = { "kubernetes.io/service-name": name };
    index.setEndpointSlice({ metadata: { ...metadata(name), labels }, addressType: "IPv4", endpoints, ports });
  }
  external("out", "example.org");
  external("inside", "web.n.svc.cluster.local");
  external("self", "self.n.svc.cluster.local");
  external("long", "a".repeat(64));
  return index;
}

const index = cluster();
const zone = { clusterDomain: "cluster.local.", reverseZones: ["in-addr.arpa."], ttl: 30, podMode: "insecure", ownAddresses: [] } as const;

/** Whoever it asks answers with the input as well, as far as that is a message. */
function handlerAnsweredWith(bytes: Uint8Array): QueryHandler {
  const parts = { clock: new ManualClock(), random: { next: () => 0.5, uuid: () => "" } };
  const zones = [{ zone: ".", servers: [{ host: "192.0.2.1", port: 53 }] }];
  const log = { warn: () => undefined };
  const forwarder = new Forwarder({ ...parts, zones, log, exchange: async () => decodeMessage(bytes) });
  return new QueryHandler({ ...parts, index, zone, forwarder, metrics: new DnsMetrics("dns://fuzz"), isSynced: () => true });
}

export const target: FuzzTarget = {
  name: "dns-queries",
  modules: ["dns/src/server/query-handler.ts", "dns/src/zone", "dns/src/upstream/forwarder.ts", "dns/src/upstream/answer-cache.ts"],
  bytes: true,
  dictionary: [...names.map((name) => `${String.fromCharCode(name.length)}${name}`), "\xc0\x0c", "\x00\x29", "\x00\x21", "\x00\x01"],
  seeds: [
    seed,
    `${seed}\x00\x00\x29\x04\xd0\x00\x00\x80\x00\x00\x00`.replace("\x00\x00\x00\x00\x00\x00\x03", "\x00\x00\x00\x00\x00\x01\x03"),
  ],
  generate: question,
  async judge(input) {
    const packet = bytesOf(input);
    const header = decodeHeader(packet);
    const handler = handlerAnsweredWith(packet);
    const [udp, tcp] = await Promise.all(
      (["udp", "tcp"] as const).map((protocol) => handler.handle(packet, { protocol, isIpv6: false, client: "10.1.0.1" })),
    );
    assert.equal(udp === undefined, header === undefined || header.isResponse);
    if (udp === undefined || tcp === undefined || header === undefined) return false;
    assert.ok(udp.length <= Math.min(4096, Math.max(512, sizeTakenBy(packet))), `${udp.length} bytes`);
    for (const reply of [udp, tcp]) {
      const { id, isResponse, questions } = decodeMessage(reply);
      assert.deepEqual([id, isResponse], [header.id, true]);
      assert.ok(questions.length <= 1);
    }
    return (decodeHeader(udp)?.rcode ?? 1) !== 1;
  },
};

function sizeTakenBy(packet: Uint8Array): number {
  try {
    return decodeMessage(packet).edns?.udpSize ?? 0;
  } catch (error) {
    if (error instanceof FormatError) return 0;
    throw error;
  }
}
