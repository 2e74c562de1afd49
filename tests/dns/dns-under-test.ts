/** A DNS server of a cluster in this process, and name servers that it asks. */
import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type DnsOptions, decodeMessage, encodeMessage, type Message, type RunningDns, startDns } from "@coxswain/dns";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { hangMs } from "@coxswain/machinery/testing";
import { startCluster } from "coxswain/testing";

export type TestCluster = Awaited<ReturnType<typeof startCluster>>;

export interface DnsUnderTest extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly dns: RunningDns;
  readonly log: readonly string[];
}

export async function dnsUnderTest(more: Partial<DnsOptions> = {}): Promise<DnsUnderTest> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await startCluster());
  const log: string[] = [];
  const keep = (_fields: object, message: string): void => void log.push(message);
  const dns = stack.use(
    await startDns({
      client: cluster.client,
      clock: systemClock,
      random: systemRandom,
      log: { info: keep, warn: keep, error: keep },
      listen: { addresses: ["127.0.0.1"], port: 0 },
      ...more,
    }),
  );
  await dns.synced;
  const owned = stack.move();
  return { cluster, dns, log, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** What a stand-in for another name server answers with, one after the other; undefined: nothing. */
export type Answering = (query: Message, protocol: "udp" | "tcp") => Answers | Promise<Answers>;
type Answers = Partial<Message> | readonly Partial<Message>[] | undefined;

export interface NameServer extends AsyncDisposable {
  readonly port: number;
  /** Ports that questions came from. */
  readonly fromPorts: readonly number[];
  readonly ids: readonly number[];
}

export async function startNameServer(answering: Answering): Promise<NameServer> {
  const fromPorts: number[] = [];
  const ids: number[] = [];
  const replies = async (packet: Uint8Array, protocol: "udp" | "tcp"): Promise<readonly Uint8Array[]> => {
    const query = decodeMessage(packet);
    ids.push(query.id);
    const answers = [await answering(query, protocol)].flat();
    return answers.flatMap((answer) => (answer ? encodeMessage({ ...query, isResponse: true, recursionAvailable: true, ...answer }) : []));
  };
  const udp = createSocket("udp4");
  udp.on("message", async (packet, { address, port }) => {
    fromPorts.push(port);
    for (const answer of await replies(packet, "udp")) udp.send(answer, port, address);
  });
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on("data", async (bytes: Buffer) => {
      for (const answer of await replies(bytes.subarray(2), "tcp")) socket.write(framed(answer));
    });
  });
  const port = await listenOnBoth(tcp, udp);
  return {
    port,
    fromPorts,
    ids,
    [Symbol.asyncDispose]: async () => {
      udp.close();
      tcp.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** On one port, which must be free for both. */
async function listenOnBoth(tcp: Server, udp: UdpSocket): Promise<number> {
  for (;;) {
    await once(tcp.listen(0, "127.0.0.1"), "listening");
    const { port } = tcp.address() as AddressInfo;
    try {
      udp.bind(port, "127.0.0.1");
      await once(udp, "listening");
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      await once(tcp.close(), "close");
    }
  }
}

/** A port that nobody listens on. */
export async function freeNameServerPort(): Promise<number> {
  await using taken = await startNameServer(() => undefined);
  return taken.port;
}

/** Node's own resolver, which asks once. */
export function resolverFor(port: number): Resolver {
  const resolver = new Resolver({ timeout: hangMs, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  return resolver;
}

export const framed = (message: Uint8Array): Uint8Array =>
  Buffer.concat([Uint8Array.of(message.length >> 8, message.length & 255), message]);

export const questionFor = (name: string, type = 1, id = 1): Message => ({
  id,
  isResponse: false,
  opcode: 0,
  authoritative: false,
  truncated: false,
  recursionDesired: true,
  recursionAvailable: false,
  authenticData: false,
  checkingDisabled: false,
  rcode: 0,
  questions: [{ name, type, class: 1 }],
  answers: [],
  authorities: [],
  additionals: [],
  edns: undefined,
});

/** One question by UDP, whatever Node's own resolver would not ask. */
export async function askUdp(port: number, message: Message): Promise<Message> {
  const socket = createSocket("udp4");
  try {
    socket.send(encodeMessage(message), port, "127.0.0.1");
    const [packet] = (await once(socket, "message")) as [Uint8Array];
    return decodeMessage(packet);
  } finally {
    socket.close();
  }
}
