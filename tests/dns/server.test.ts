/** Real sockets and real resolvers; what is answered is in coredns/answers.test.ts. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { promisify } from "node:util";
import { endpointSlices, namespaces, services } from "@coxswain/client";
import { decodeMessage, encodeMessage } from "@coxswain/dns";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { askUdp, dnsUnderTest, framed, questionFor, resolverFor, type TestCluster } from "./dns-under-test.ts";

const run = promisify(execFile);

async function createPeers({ client }: TestCluster): Promise<void> {
  const ports = [{ name: "http", port: 80 }];
  await client.resource(services, "default").create({ metadata: { name: "peers" }, spec: { clusterIP: "None", ports } });
  await client.resource(endpointSlices, "default").create({
    metadata: { name: "peers-1", labels: { "kubernetes.io/service-name": "peers" } },
    addressType: "IPv4",
    endpoints: [
      { addresses: ["10.1.0.1"], hostname: "peers-0" },
      { addresses: ["10.1.0.2"], hostname: "peers-1" },
    ],
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
  });
}

test("Node's resolver finds Services, peers, ports and names of addresses", { timeout: hangMs }, async () => {
  await using under = await dnsUnderTest();
  const { cluster, dns } = under;
  await createPeers(cluster);
  const resolver = resolverFor(dns.port);
  await waitUntil(
    "the peers are known",
    async () => (await resolver.resolve4("peers.default.svc.cluster.local").catch(() => [])).length === 2,
  );
  assert.deepEqual(await resolver.resolve4("kubernetes.default.svc.cluster.local"), ["10.96.0.1"]);
  assert.deepEqual(await resolver.resolve4("peers-1.peers.default.svc.cluster.local"), ["10.1.0.2"]);
  const srv = await resolver.resolveSrv("_http._tcp.peers.default.svc.cluster.local");
  assert.deepEqual(srv.map(({ name, port }) => `${name} ${port}`).sort(), [
    "peers-0.peers.default.svc.cluster.local 8080",
    "peers-1.peers.default.svc.cluster.local 8080",
  ]);
  assert.deepEqual(await resolver.reverse("10.1.0.2"), ["peers-1.peers.default.svc.cluster.local"]);
  assert.deepEqual(await resolver.resolveTxt("dns-version.cluster.local"), [["1.1.0"]]);
  await assert.rejects(resolver.resolve4("missing.default.svc.cluster.local"), { code: "ENOTFOUND" });
  await assert.rejects(resolver.resolve6("peers.default.svc.cluster.local"), { code: "ENODATA" });
});

test("a change is answered as soon as its event has come", { timeout: hangMs }, async () => {
  await using under = await dnsUnderTest();
  const { cluster, dns } = under;
  const { client } = cluster;
  const name = "web.default.svc.cluster.local.";
  assert.equal((await askUdp(dns.port, questionFor(name))).rcode, 3);
  await client.resource(services, "default").create({ metadata: { name: "web" }, spec: { clusterIP: "10.96.7.7", ports: [{ port: 80 }] } });
  await waitUntil("the Service has its address", async () => (await askUdp(dns.port, questionFor(name))).rcode === 0);
  await client.resource(services, "default").delete("web");
  await waitUntil("the Service has none any more", async () => (await askUdp(dns.port, questionFor(name))).rcode === 3);
  const inNamespace = questionFor("other.svc.cluster.local.");
  assert.equal((await askUdp(dns.port, inNamespace)).rcode, 3);
  await client.resource(namespaces).create({ metadata: { name: "other" } });
  await waitUntil("the namespace is there", async () => (await askUdp(dns.port, inNamespace)).rcode === 0);
});

test("a change of endpoints is in one of the next answers, and not later", { timeout: hangMs }, async () => {
  await using under = await dnsUnderTest();
  const { cluster, dns } = under;
  await createPeers(cluster);
  const slices = cluster.client.resource(endpointSlices, "default");
  for (let i = 0; i < 20; i++) {
    const address = `10.2.0.${i}`;
    await slices.patch("peers-1", { type: "merge", patch: { endpoints: [{ addresses: [address] }] } });
    const isAnswered = async (): Promise<boolean> => {
      const { answers } = await askUdp(dns.port, questionFor("peers.default.svc.cluster.local."));
      return answers.length === 1 && answers[0]?.data.join(".") === address;
    };
    let stale = 0;
    while (!(await isAnswered())) assert.ok(++stale <= 10, `${stale} questions after the write had the answer of before it`);
  }
});

test("dig reads what is answered by UDP and TCP, with EDNS and without", { timeout: hangMs }, async (t) => {
  if (
    !(await run("dig", ["-v"]).then(
      () => true,
      () => false,
    ))
  )
    return t.skip("there is no dig");
  await using under = await dnsUnderTest();
  const name = "kubernetes.default.svc.cluster.local";
  for (const flags of [["+notcp"], ["+tcp"], ["+noedns"], ["+bufsize=4096", "+dnssec"], ["+noall", "+comments", "+answer"]]) {
    const { stdout } = await run("dig", ["@127.0.0.1", "-p", String(under.dns.port), name, "A", ...flags]);
    assert.match(stdout, /status: NOERROR/);
    assert.match(stdout, /flags: qr aa rd; QUERY: 1, ANSWER: 1/);
    assert.match(stdout, /kubernetes\.default\.svc\.cluster\.local\.\s+30\s+IN\s+A\s+10\.96\.0\.1/);
    assert.doesNotMatch(stdout, /malformed|bad packet|extra/i);
  }
});

test("many questions of one connection are all answered, whatever pieces they come in", { timeout: hangMs }, async () => {
  await using under = await dnsUnderTest();
  const count = 2000;
  const sent = Buffer.concat(
    Array.from({ length: count }, (_, i) => framed(encodeMessage(questionFor("kubernetes.default.svc.cluster.local.", 1, i)))),
  );
  const socket = connect(under.dns.port, "127.0.0.1");
  for (let at = 0; at < sent.length; at += 7777) socket.write(sent.subarray(at, at + 7777));
  const seen = new Set<number>();
  let rest = Buffer.alloc(0);
  for await (const bytes of socket) {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
      const length = rest.readUInt16BE(0);
      seen.add(decodeMessage(rest.subarray(2, 2 + length)).id);
      rest = rest.subarray(2 + length);
    }
    if (seen.size === count) break;
  }
  assert.equal(seen.size, count);
});

test("what is no question ends its connection, and nothing else", { timeout: hangMs }, async () => {
  await using under = await dnsUnderTest();
  const socket = connect(under.dns.port, "127.0.0.1");
  socket.write(framed(encodeMessage({ ...questionFor("."), isResponse: true })));
  socket.resume();
  socket.on("error", () => undefined);
  const half = connect(under.dns.port, "127.0.0.1");
  half.write(Uint8Array.of(0, 5, 1));
  half.on("error", () => undefined);
  await once(socket, "close");
  assert.equal((await askUdp(under.dns.port, questionFor("kubernetes.default.svc.cluster.local."))).rcode, 0);
});

test("questions of those who may not ask are not answered, by UDP and TCP", { timeout: hangMs }, async () => {
  let allowed = true;
  const seen: string[] = [];
  await using under = await dnsUnderTest({
    mayAsk: (address) => {
      seen.push(address);
      return allowed;
    },
  });
  const { dns } = under;
  const name = "kubernetes.default.svc.cluster.local.";
  assert.equal((await askUdp(dns.port, questionFor(name))).rcode, 0);
  allowed = false;
  const socket = createSocket("udp4");
  socket.on("message", () => assert.fail("it was answered"));
  socket.send(encodeMessage(questionFor(name)), dns.port, "127.0.0.1");
  await waitUntil("the packet was seen", () => seen.length === 2);
  const connection = connect(dns.port, "127.0.0.1");
  connection.on("data", () => assert.fail("it was answered"));
  connection.on("error", () => undefined);
  connection.write(framed(encodeMessage(questionFor(name))));
  await once(connection, "close");
  socket.close();
  assert.deepEqual(new Set(seen), new Set(["127.0.0.1"]));
  assert.match(dns.metrics.text(), /^coxswain_dns_dropped_total 2$/m);
});
