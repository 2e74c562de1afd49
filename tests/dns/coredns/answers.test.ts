/** The same questions about the same cluster have CoreDNS's answers. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DnsMetrics, decodeMessage, encodeMessage, Forwarder, type PodMode, QueryHandler, ServiceIndex } from "@coxswain/dns";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { acceptedDifferences } from "./accepted-differences.ts";
import { type Answer, answerOf, queryOf } from "./answer-text.ts";
import { endpointSlices, namespaces, pods, services } from "./objects.ts";
import { type Asked, questions } from "./questions.ts";
import { upstreamAnswer } from "./upstream.ts";

interface Recorded {
  readonly asked: Asked;
  readonly answer: Answer;
}

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "expected.json"), "utf8")) as readonly Recorded[];
const handlers = { insecure: handlerFor("insecure"), verified: handlerFor("verified"), disabled: handlerFor("disabled") };

test("what was recorded is what is asked", () => {
  assert.deepEqual(
    recorded.map(({ asked }) => asked),
    questions,
  );
});

for (const [i, { asked, answer }] of recorded.entries())
  test(`CoreDNS's answer to ${JSON.stringify(asked)}`, async () => {
    const packet = encodeMessage(queryOf(asked, i + 1));
    const asker = { protocol: asked.protocol ?? "udp", isIpv6: false, client: "10.1.0.1" };
    const reply = await handlers[asked.pods ?? "insecure"].handle(packet, asker);
    assert.ok(reply);
    assert.equal(decodeMessage(reply).id, i + 1);
    const { why: _, ...difference } = acceptedDifferences.get(JSON.stringify(asked)) ?? { why: "" };
    assert.deepEqual(answerOf(reply), { ...answer, ...difference });
  });

test("every accepted difference is one", () => {
  for (const [key, { why: _, ...difference }] of acceptedDifferences) {
    const { answer } = recorded.find(({ asked }) => JSON.stringify(asked) === key) ?? assert.fail(`nobody asks ${key}`);
    assert.notDeepEqual({ ...answer, ...difference }, answer, key);
  }
});

function handlerFor(podMode: PodMode): QueryHandler {
  const index = new ServiceIndex();
  for (const name of namespaces) index.setNamespace(name, true);
  for (const service of services) index.setService(service);
  for (const slice of endpointSlices) index.setEndpointSlice(slice);
  for (const { namespace, name, address } of pods) index.setPod(namespace, name, [address], []);
  const parts = { clock: systemClock, random: systemRandom };
  const forwarder = new Forwarder({
    ...parts,
    zones: [{ zone: ".", servers: [{ host: "192.0.2.53", port: 53 }] }],
    log: { warn: () => undefined },
    exchange: async (_server, { question, ...flags }) => ({
      ...queryOf({ name: question.name, type: "A" }, 0),
      ...flags,
      ...upstreamAnswer(question),
      isResponse: true,
      recursionAvailable: true,
    }),
  });
  const zone = { clusterDomain: "cluster.local.", reverseZones: ["in-addr.arpa.", "ip6.arpa."], ttl: 30, podMode, ownAddresses: [] };
  return new QueryHandler({ index, zone, forwarder, metrics: new DnsMetrics("dns://test"), ...parts, isSynced: () => true });
}
