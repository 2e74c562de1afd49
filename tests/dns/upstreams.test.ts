/** Other name servers: how they are asked, what of theirs is believed, and those that ask this one in their turn. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { test } from "node:test";
import { services } from "@coxswain/client";
import { encodeMessage, type Message, type ResourceRecord, recordType, responseCode } from "@coxswain/dns";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import {
  askUdp,
  type DnsUnderTest,
  dnsUnderTest,
  freeNameServerPort,
  questionFor,
  resolverFor,
  startNameServer,
} from "./dns-under-test.ts";

const to = (port: number) => [{ zone: ".", servers: [{ host: "127.0.0.1", port }] }];

const addresses = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    name: "many.example.",
    type: recordType.A,
    class: 1,
    ttl: 60,
    data: Uint8Array.of(10, 0, i >> 8, i & 255),
  }));

test("asks others from ports and with numbers that differ, and by TCP what does not fit", { timeout: hangMs }, async () => {
  await using upstream = await startNameServer((_query, protocol) =>
    protocol === "udp" ? { truncated: true } : { answers: addresses(200) },
  );
  await using under = await dnsUnderTest({ forward: to(upstream.port) });
  const resolver = resolverFor(under.dns.port);
  assert.equal((await resolver.resolve4("many.example")).length, 200);
  for (let i = 0; i < 8; i++) await resolver.resolve4(`${i}.example`);
  assert.ok(new Set(upstream.fromPorts).size >= 8, "each question has a port of its own");
  assert.ok(new Set(upstream.ids).size >= 8);
});

test("what is not the answer to its question is not taken", { timeout: hangMs }, async () => {
  await using upstream = await startNameServer((query) =>
    query.questions[0]?.name === "spoofed.example." ? { id: query.id ^ 1, answers: addresses(1) } : { answers: addresses(1) },
  );
  await using under = await dnsUnderTest({ forward: to(upstream.port) });
  assert.equal((await askUdp(under.dns.port, questionFor("spoofed.example."))).rcode, 2);
  assert.equal((await askUdp(under.dns.port, questionFor("real.example."))).answers.length, 1);
});

test("the name of an ExternalName Service is looked up where it is", { timeout: hangMs }, async () => {
  await using upstream = await startNameServer(() => ({ answers: addresses(1) }));
  await using under = await dnsUnderTest({ forward: [{ zone: "example.", servers: [{ host: "127.0.0.1", port: upstream.port }] }] });
  const spec = { type: "ExternalName", externalName: "many.example" };
  await under.cluster.client.resource(services, "default").create({ metadata: { name: "out" }, spec });
  const name = "out.default.svc.cluster.local";
  const resolver = resolverFor(under.dns.port);
  await waitUntil("the Service is known", async () => (await resolver.resolveCname(name).catch(() => [])).length === 1);
  assert.deepEqual(await resolver.resolve4(name), ["10.0.0.0"]);
  assert.deepEqual(await resolver.resolveCname(name), ["many.example"]);
});

test("a server that forwards to itself finds out, and goes on without", { timeout: hangMs }, async () => {
  const port = await freeNameServerPort();
  await using under = await dnsUnderTest({
    listen: { addresses: ["127.0.0.1"], port },
    forward: to(port),
  });
  await waitUntil("the loop is found", () => under.log.includes("a name server forwards to this one: it is not asked any more"));
  assert.equal((await askUdp(port, questionFor("example.org."))).rcode, 2);
  assert.equal((await askUdp(port, questionFor("kubernetes.default.svc.cluster.local."))).rcode, 0);
});

const addressOf = (name: string, ...data: readonly number[]): ResourceRecord => ({
  name,
  type: recordType.A,
  class: 1,
  ttl: 60,
  data: Uint8Array.from(data),
});

const forged = { answers: [addressOf("real.example.", 6, 6, 6, 6)] };
const forgeries: readonly { name: string; answer: (query: Message) => Partial<Message> }[] = [
  { name: "with another number", answer: ({ id }) => ({ id: id ^ 1 }) },
  { name: "about another name", answer: () => ({ questions: [{ name: "other.example.", type: 1, class: 1 }] }) },
  { name: "about another type", answer: () => ({ questions: [{ name: "real.example.", type: 28, class: 1 }] }) },
  { name: "about another class", answer: () => ({ questions: [{ name: "real.example.", type: 1, class: 3 }] }) },
  { name: "about two names", answer: ({ questions }) => ({ questions: [...questions, ...questions] }) },
  { name: "about nothing", answer: () => ({ questions: [] }) },
  { name: "that is a question", answer: () => ({ isResponse: false }) },
];
for (const { name, answer } of forgeries)
  test(`an answer ${name} is passed over for the one behind it`, { timeout: hangMs }, async () => {
    await using upstream = await startNameServer((query) => [
      { ...forged, ...answer(query) },
      { answers: [addressOf("real.example.", 192, 0, 2, 1)] },
    ]);
    await using under = await dnsUnderTest({ forward: to(upstream.port) });
    assert.deepEqual(await resolverFor(under.dns.port).resolve4("real.example"), ["192.0.2.1"]);
  });

test("an answer from elsewhere, with the right number to the right port, is passed over", { timeout: hangMs }, async () => {
  const forger = createSocket("udp4");
  await using upstream = await startNameServer(async (query) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const packet = encodeMessage({ ...query, ...forged, isResponse: true });
    forger.send(packet, upstream.fromPorts.at(-1) ?? 0, "127.0.0.1", () => resolve());
    await promise;
    return { answers: [addressOf("real.example.", 192, 0, 2, 1)] };
  });
  await using under = await dnsUnderTest({ forward: to(upstream.port) });
  assert.deepEqual(await resolverFor(under.dns.port).resolve4("real.example"), ["192.0.2.1"]);
  forger.close();
});

test("what an answer says of other names counts for none of them", { timeout: hangMs }, async () => {
  const others = ["victim.example.", "kubernetes.default.svc.cluster.local."].map((name) => addressOf(name, 6, 6, 6, 6));
  await using upstream = await startNameServer(({ questions: [question] }) =>
    question?.name === "evil.example."
      ? { answers: [addressOf("evil.example.", 6, 6, 6, 6), ...others], authorities: others, additionals: others }
      : { answers: [addressOf("victim.example.", 192, 0, 2, 1)] },
  );
  await using under = await dnsUnderTest({ forward: to(upstream.port) });
  const resolver = resolverFor(under.dns.port);
  await resolver.resolve4("evil.example");
  assert.deepEqual(await resolver.resolve4("victim.example"), ["192.0.2.1"]);
  assert.deepEqual(await resolver.resolve4("kubernetes.default.svc.cluster.local"), ["10.96.0.1"]);
});

for (const rcode of [responseCode.formatError, responseCode.notImplemented])
  test(`a name server that answers EDNS with ${rcode} is asked without`, { timeout: hangMs }, async () => {
    const seen: boolean[] = [];
    await using upstream = await startNameServer(({ edns, questions }) => {
      if (questions[0]?.type === recordType.A) seen.push(edns !== undefined);
      return edns === undefined ? { answers: [addressOf("old.example.", 192, 0, 2, 1)] } : { rcode, questions: [], edns: undefined };
    });
    await using under = await dnsUnderTest({ forward: to(upstream.port) });
    assert.deepEqual(await resolverFor(under.dns.port).resolve4("old.example"), ["192.0.2.1"]);
    assert.deepEqual(seen, [true, false]);
  });

test("two servers that forward to each other find out, and ask in bounded number", { timeout: hangMs }, async () => {
  const [first, second] = [await freeNameServerPort(), await freeNameServerPort()];
  const listening = (port: number, other: number) => dnsUnderTest({ listen: { addresses: ["127.0.0.1"], port }, forward: to(other) });
  await using one = await listening(first, second);
  await using two = await listening(second, first);
  const looped = ({ log }: DnsUnderTest): boolean => log.includes("a name server forwards to this one: it is not asked any more");
  await waitUntil("the loop is found", () => looped(one) || looped(two));
  const requests = ({ dns }: DnsUnderTest): number =>
    Number(/^coxswain_dns_forward_requests_total\{.*\} (\d+)$/m.exec(dns.metrics.text())?.[1]);
  const before = requests(one) + requests(two);
  for (const { dns } of [one, two]) {
    assert.equal((await askUdp(dns.port, questionFor(`x${dns.port}.example.`))).rcode, responseCode.serverFailure);
    assert.equal((await askUdp(dns.port, questionFor("kubernetes.default.svc.cluster.local."))).rcode, 0);
  }
  // At most one of both asks the other, twice. The questions by which each finds out may still be on their way: who passes one on asks twice,
  // too, and so does who gets it back. A loop would go on until all time is over.
  const asked = requests(one) + requests(two) - before;
  assert.ok(asked <= 2 + 2 * 2 + 2, `${asked} questions`);
});
