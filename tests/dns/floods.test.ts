/** Floods over real sockets: others are answered meanwhile, and what waits and what is kept is bounded. Counts, not times. */
import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { test } from "node:test";
import { decodeMessage, encodeMessage, type Message } from "@coxswain/dns";
import { systemClock } from "@coxswain/machinery";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { type Answering, dnsUnderTest, questionFor, startNameServer } from "./dns-under-test.ts";

// Only Linux has all of 127.0.0.0/8.
const skip = process.platform === "linux" ? false : "all clients have one address here";
const clusterName = "kubernetes.default.svc.cluster.local.";
const maxConcurrent = 200;
/** After so long a resolver asks again. */
const retryMs = 1000;

/** Knows what ends with `good.example`, and says nothing of anything else. */
const answering: Answering = ({ questions: [question] }) =>
  question?.name.endsWith("good.example.") === true
    ? { answers: [{ name: question.name, type: 1, class: 1, ttl: 60, data: Uint8Array.of(192, 0, 2, 7) }] }
    : undefined;

interface Client extends AsyncDisposable {
  readonly socket: Socket;
  /** As resolvers do: again where no answer came. `tries` counts all. */
  resolve(name: string): Promise<Message>;
  readonly tries: number;
}

async function client(address: string, port: number): Promise<Client> {
  const socket = createSocket({ type: "udp4", recvBufferSize: 1 << 20 });
  socket.bind(0, address);
  await once(socket, "listening");
  const waiting = new Map<number, (message: Message | undefined) => void>();
  socket.on("message", (packet) => {
    const message = decodeMessage(packet);
    waiting.get(message.id)?.(message);
  });
  let tries = 0;
  let id = 0;
  const attempt = async (query: Message): Promise<Message | undefined> => {
    tries++;
    const { promise, resolve } = Promise.withResolvers<Message | undefined>();
    waiting.set(query.id, resolve);
    using _ = systemClock.schedule(retryMs, () => resolve(undefined));
    socket.send(encodeMessage(query), port, "127.0.0.1");
    return await promise;
  };
  return {
    socket,
    get tries() {
      return tries;
    },
    async resolve(name) {
      const query = questionFor(name, 1, ++id);
      for (let i = 0; i < 20; i++) {
        const answer = await attempt(query);
        if (answer !== undefined) return answer;
      }
      assert.fail(`no answer to 20 questions about ${name}`);
    },
    [Symbol.asyncDispose]: async () => void socket.close(),
  };
}

const floods: readonly { name: string; packet: (i: number) => Uint8Array }[] = [
  { name: "of names that the cluster does not have", packet: (i) => encodeMessage(questionFor(`x${i}.default.svc.cluster.local.`)) },
  { name: "of names that nobody knows", packet: (i) => encodeMessage(questionFor(`x${i}.evil.example.`)) },
  { name: "of one name that nobody knows", packet: () => encodeMessage(questionFor("same.evil.example.")) },
  { name: "of addresses that nobody knows", packet: (i) => encodeMessage(questionFor(`${i & 255}.${i >> 8}.0.172.in-addr.arpa.`, 12)) },
  { name: "of what is no question", packet: (i) => Buffer.from(`${i}`.repeat(1 + (i % 40))) },
  { name: "of answers", packet: (i) => encodeMessage({ ...questionFor(clusterName, 1, i & 0xffff), isResponse: true }) },
];
for (const { name, packet } of floods)
  test(`a client beside a flood ${name} is answered`, { skip, timeout: hangMs }, async () => {
    await using upstream = await startNameServer(answering);
    const forward = [{ zone: ".", servers: [{ host: "127.0.0.1", port: upstream.port }] }];
    await using under = await dnsUnderTest({ forward, maxConcurrent });
    const { dns } = under;
    await using hostile = await client("127.0.0.66", dns.port);
    await using other = await client("127.0.0.2", dns.port);
    let sent = 0;
    for (let round = 0; round < 25; round++) {
      for (let i = 0; i < 100; i++) hostile.socket.send(packet(sent++), dns.port, "127.0.0.1");
      assert.equal((await other.resolve(clusterName)).rcode, 0);
      assert.equal((await other.resolve(`x${round}.good.example.`)).answers.length, 1);
      assert.ok(figure(dns, "coxswain_dns_forward_concurrent_requests") <= maxConcurrent / 2);
    }
    assert.ok(other.tries <= 100, `${other.tries} tries for 50 questions`);
    assert.ok(figure(dns, "coredns_cache_entries") <= 2 * 9984);
  });

const figure = ({ metrics }: { readonly metrics: { text(): string } }, name: string): number =>
  Number(new RegExp(`^${name}\\{.*\\} (\\d+)$`, "m").exec(metrics.text())?.[1]);

test("a flood that others do not answer is refused beyond its share, and then forgotten", { skip, timeout: hangMs }, async () => {
  await using upstream = await startNameServer(answering);
  const forward = [{ zone: ".", servers: [{ host: "127.0.0.1", port: upstream.port }] }];
  await using under = await dnsUnderTest({ forward, maxConcurrent: 20 });
  const { dns } = under;
  await using hostile = await client("127.0.0.66", dns.port);
  for (let i = 0; i < 100; i++) hostile.socket.send(encodeMessage(questionFor(`x${i}.evil.example.`)), dns.port, "127.0.0.1");
  const waiting = (): number => figure(dns, "coxswain_dns_forward_concurrent_requests");
  await waitUntil("all are refused or wait", () => figure(dns, "coredns_forward_max_concurrent_rejects_total") === 90);
  assert.equal(waiting(), 10);
  await waitUntil("none waits any more", () => waiting() === 0);
});
