/** What becomes of packets, good and bad; what they are answered with is in tests/dns. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { decodeMessage } from "../message/decode-message.ts";
import { encodeMessage } from "../message/encode-message.ts";
import { type Message, recordType, responseCode } from "../message/message.ts";
import { addressRecord } from "../message/records.ts";
import type { Exchange } from "../upstream/exchange.ts";
import { Forwarder } from "../upstream/forwarder.ts";
import { ServiceIndex } from "../zone/service-index.ts";
import { DnsMetrics } from "./dns-metrics.ts";
import { type Asker, QueryHandler } from "./query-handler.ts";

const udp: Asker = { protocol: "udp", isIpv6: false, client: "10.1.0.1" };

function query(name: string, more: Partial<Message> = {}): Message {
  return {
    id: 7,
    isResponse: false,
    opcode: 0,
    authoritative: false,
    truncated: false,
    recursionDesired: true,
    recursionAvailable: false,
    authenticData: false,
    checkingDisabled: false,
    rcode: 0,
    questions: [{ name, type: recordType.A, class: 1 }],
    answers: [],
    authorities: [],
    additionals: [],
    edns: undefined,
    ...more,
  };
}

interface Settings {
  readonly exchange?: Exchange;
  readonly synced?: boolean;
}

function handling({ exchange = async () => query(".", { rcode: 3, isResponse: true }), synced = true }: Settings = {}) {
  const clock = new ManualClock();
  const random = { next: () => 0, uuid: () => "" };
  const index = new ServiceIndex();
  index.setNamespace("n", true);
  index.setService({ metadata: { namespace: "n", name: "web" }, spec: { clusterIP: "10.96.1.1" } });
  const metrics = new DnsMetrics("dns://test");
  const forwarder = new Forwarder({
    zones: [{ zone: ".", servers: [{ host: "192.0.2.1", port: 53 }] }],
    clock,
    random,
    log: { warn: () => undefined },
    exchange,
  });
  metrics.follow(() => forwarder.counts);
  const zone = {
    clusterDomain: "cluster.local.",
    reverseZones: ["in-addr.arpa."],
    ttl: 30,
    podMode: "insecure",
    ownAddresses: [],
  } as const;
  const handler = new QueryHandler({ index, zone, forwarder, metrics, clock, random, isSynced: () => synced });
  const ask = async (asked: Message, asker = udp): Promise<Message> => {
    const reply = await handler.handle(encodeMessage(asked), asker);
    assert.ok(reply);
    return decodeMessage(reply);
  };
  return { handler, index, metrics, ask };
}

const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(" ", ""), "hex");

const unanswered: readonly { name: string; packet: Uint8Array }[] = [
  { name: "nothing", packet: bytes("") },
  { name: "half a header", packet: bytes("0007 0100 0001") },
  { name: "an answer", packet: encodeMessage(query("web.n.svc.cluster.local.", { isResponse: true })) },
];
for (const { name, packet } of unanswered)
  test(`does not answer ${name}`, () => {
    const { handler, metrics } = handling();
    assert.equal(handler.handle(packet, udp), undefined);
    assert.match(metrics.text(), /^coxswain_dns_dropped_total 1$/m);
  });

const rejected: readonly { name: string; packet: Uint8Array; code: number; opcode?: number }[] = [
  { name: "no question", packet: bytes("0007 0100 0000 0000 0000 0000"), code: 1 },
  { name: "two questions", packet: bytes("0007 0100 0002 0000 0000 0000 00 0001 0001 00 0001 0001"), code: 1 },
  { name: "two answers", packet: bytes("0007 0100 0001 0002 0000 0000 00 0001 0001"), code: 1 },
  { name: "three additional records", packet: bytes("0007 0100 0001 0000 0000 0003 00 0001 0001"), code: 1 },
  { name: "a name without an end", packet: bytes("0007 0100 0001 0000 0000 0000 0361"), code: 1 },
  { name: "a name that points to itself", packet: bytes("0007 0100 0001 0000 0000 0000 c00c 0001 0001"), code: 1 },
  {
    name: "two OPT records",
    packet: bytes("0007 0100 0001 0000 0000 0002 00 0001 0001 00 0029 1000 00000000 0000 00 0029 1000 00000000 0000"),
    code: 1,
  },
  { name: "an UPDATE", packet: bytes("0007 2900 0001 0000 0000 0000 00 0006 0001"), code: 4, opcode: 5 },
];
for (const { name, packet, code, opcode = 0 } of rejected)
  test(`rejects ${name} with a header alone`, async () => {
    const reply = await handling().handler.handle(packet, udp);
    assert.ok(reply);
    assert.equal(reply.length, 12);
    const { id, rcode, isResponse, opcode: repeated } = decodeMessage(reply);
    assert.deepEqual({ id, rcode, isResponse, opcode: repeated }, { id: 7, rcode: code, isResponse: true, opcode });
  });

const unwritable = ["a".repeat(64), `${"a".repeat(50)}.`.repeat(5).concat("x".repeat(20))];
for (const externalName of unwritable)
  test(`the name ${externalName}, which no message has room for, is a failure of its question alone`, async () => {
    const { index, ask } = handling();
    index.setService({ metadata: { namespace: "n", name: "out" }, spec: { type: "ExternalName", externalName } });
    for (const type of [recordType.A, recordType.CNAME]) {
      const name = "out.n.svc.cluster.local.";
      const reply = await ask(query(name, { questions: [{ name, type, class: 1 }] }));
      assert.deepEqual([reply.rcode, reply.questions[0]?.name, reply.answers], [responseCode.serverFailure, name, []]);
    }
    assert.equal((await ask(query("web.n.svc.cluster.local."))).rcode, responseCode.noError);
  });

test("until the cluster is known, what is not known is a failure", async () => {
  const { ask } = handling({ synced: false });
  assert.equal((await ask(query("web.n.svc.cluster.local."))).rcode, responseCode.noError);
  assert.equal((await ask(query("other.n.svc.cluster.local."))).rcode, responseCode.serverFailure);
  assert.equal((await ask(query("1.0.0.10.in-addr.arpa."))).rcode, responseCode.serverFailure);
  assert.equal((await ask(query("example.org."))).rcode, responseCode.nameError);
});

test("large answers are cut by UDP, to what is asked for and not beyond 4096 bytes, and whole by TCP", async () => {
  const answers = Array.from({ length: 500 }, (_, i) => addressRecord("x.org.", 9, Uint8Array.of(10, 0, i >> 8, i & 255)));
  const { ask, handler } = handling({ exchange: async () => query("x.org.", { isResponse: true, answers }) });
  const edns = (udpSize: number) => ({ edns: { udpSize, version: 0, dnssecOk: false } });
  for (const [more, bound] of [
    [{}, 512],
    [edns(100), 512],
    [edns(1232), 1232],
    [edns(65_535), 4096],
  ] as const) {
    const packet = await handler.handle(encodeMessage(query("x.org.", more)), udp);
    assert.ok(packet && packet.length <= bound && packet.length > bound - 30);
    assert.equal(decodeMessage(packet).truncated, true);
  }
  const whole = await ask(query("x.org."), { ...udp, protocol: "tcp" });
  assert.deepEqual([whole.truncated, whole.answers.length], [false, 500]);
});

test("passes on what others say, with their flags and without their OPT record", async () => {
  const answers = [addressRecord("x.org.", 9, Uint8Array.of(1, 2, 3, 4))];
  const { ask } = handling({
    exchange: async () =>
      query("x.org.", {
        isResponse: true,
        recursionAvailable: true,
        authenticData: true,
        answers,
        edns: { udpSize: 4096, version: 0, dnssecOk: false },
      }),
  });
  const reply = await ask(query("X.org."));
  assert.deepEqual([reply.recursionAvailable, reply.authenticData, reply.authoritative, reply.edns], [true, true, false, undefined]);
  assert.deepEqual([reply.questions[0]?.name, reply.answers], ["X.org.", answers]);
});

test("counts by CoreDNS's names, in few series whatever is asked", async () => {
  const { ask, metrics } = handling();
  for (let i = 0; i < 300; i++)
    await ask(query(`${i}.n.svc.cluster.local.`, { questions: [{ name: `${i}.n.svc.cluster.local.`, type: 1000 + i, class: 1 }] }));
  const lines = metrics.text().split("\n");
  assert.deepEqual(
    lines.filter((line) => line.startsWith("coredns_dns_requests_total")),
    ['coredns_dns_requests_total{server="dns://test",zone="cluster.local.",view="",proto="udp",family="1",type="other"} 300'],
  );
  assert.deepEqual(
    lines.filter((line) => line.startsWith("coredns_dns_responses_total")),
    ['coredns_dns_responses_total{server="dns://test",zone="cluster.local.",view="",rcode="NXDOMAIN",plugin=""} 300'],
  );
});
