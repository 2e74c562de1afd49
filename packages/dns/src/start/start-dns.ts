/** A DNS server for a cluster. */
import { randomInt } from "node:crypto";
import type { Client } from "@coxswain/client";
import { AsyncDisposableStack, type Clock, messageOf, type RandomSource } from "@coxswain/machinery";
import { keepKubeDns } from "../kube-dns/keep-kube-dns.ts";
import type { KubeDnsOptions } from "../kube-dns/kube-dns-service.ts";
import { limitedLog } from "../limits/limited-log.ts";
import { classInternet, type Question, recordType } from "../message/message.ts";
import { absolute, lowerCase } from "../message/name.ts";
import { addressBytes, canonicalAddress } from "../message/records.ts";
import { DnsMetrics } from "../server/dns-metrics.ts";
import { QueryHandler } from "../server/query-handler.ts";
import { listenTcp } from "../server/tcp-server.ts";
import { type ListeningServer, listenUdp } from "../server/udp-server.ts";
import { Forwarder, type ForwardZone } from "../upstream/forwarder.ts";
import { addressText, type ServerAddress } from "../upstream/server-address.ts";
import type { ZoneOptions } from "../zone/answer-question.ts";
import type { PodMode } from "../zone/find-places.ts";
import { ServiceIndex } from "../zone/service-index.ts";
import { followCluster } from "./follow-cluster.ts";

/** What a DNS server has to know. */
export interface DnsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: DnsLog;
  /** One port for all addresses; 0 takes one that is free. */
  readonly listen: { readonly addresses: readonly string[]; readonly port: number };
  /** Default: `cluster.local`. */
  readonly clusterDomain?: string;
  /** Default: all of `in-addr.arpa` and `ip6.arpa`. */
  readonly reverseZones?: readonly string[];
  /** Seconds. Default: 30. */
  readonly ttl?: number;
  /** Default: `insecure`. */
  readonly pods?: PodMode;
  /** Who is asked for other names. Default: nobody, and they are failures. */
  readonly forward?: readonly ForwardZone[];
  readonly maxConcurrent?: number;
  /** Whose questions are heard, by their addresses, those of IPv4 as such. Default: everybody's who reaches it. */
  readonly mayAsk?: (address: string) => boolean;
  /** Writes the Service kube-dns, which leads here. Default: it is left alone. */
  readonly kubeDns?: Omit<KubeDnsOptions, "port"> & { readonly port?: number };
}

/** Where it logs: a subset of pino's logger. */
export interface DnsLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A DNS server that listens; disposing stops it. */
export interface RunningDns extends AsyncDisposable {
  readonly addresses: readonly string[];
  readonly port: number;
  /** When it knows the cluster; rejects when it never will. */
  readonly synced: Promise<void>;
  readonly healthy: () => { readonly ok: boolean; readonly problems: readonly string[] };
  readonly metrics: { text(): string };
  /** Rejects when it cannot go on. */
  readonly ended: Promise<void>;
}

const defaultReverseZones = ["in-addr.arpa", "ip6.arpa"];
/** Ports that are free for UDP may be taken for TCP. */
const portAttempts = 20;

/** Answers as soon as it listens; what it does not know yet is a failure until then. */
export async function startDns(options: DnsOptions): Promise<RunningDns> {
  const { client, log, listen } = options;
  const stop = new AbortController();
  const index = new ServiceIndex();
  const cluster = followCluster(client, index, { withPods: options.pods === "verified", log });
  let isSynced = false;
  cluster.synced.then(
    () => {
      isSynced = true;
    },
    () => undefined,
  );
  await using stack = new AsyncDisposableStack();
  const metrics = new DnsMetrics(`dns://${listen.addresses.map((host) => addressText({ host, port: listen.port })).join(",")}`);
  const forwarder = stack.use(forwarderOf(options));
  metrics.follow(() => forwarder.counts);
  const probe = loopProbe();
  const { clock, random } = options;
  const zone = zoneOptions(options);
  const handler = new QueryHandler({ index, zone, forwarder, metrics, clock, random, isSynced: () => isSynced, onForward: probe.see });
  const servers = await listenAll(options, { handler, metrics });
  for (const server of servers) stack.use(server);
  const port = servers[0]?.port ?? listen.port;
  const ended = cluster.run(stop.signal);
  ended.catch(() => undefined);
  const kept = options.kubeDns === undefined ? undefined : keepKubeDns(client, { port, ...options.kubeDns }, log, stop.signal);
  const probed = findLoops(forwarder, probe, log);
  const owned = stack.move();
  return {
    addresses: listen.addresses,
    port,
    synced: cluster.synced,
    ended,
    healthy: () => (isSynced ? { ok: true, problems: [] } : { ok: false, problems: ["Services and EndpointSlices are not known yet"] }),
    metrics,
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error("the DNS server is stopped"));
      await kept;
      await owned.disposeAsync();
      await probed;
      await ended.catch(() => undefined);
    },
  };
}

const forwarderOf = ({ forward = [], clock, random, log, maxConcurrent }: DnsOptions): Forwarder =>
  new Forwarder({ zones: forward, clock, random, log, ...(maxConcurrent === undefined ? {} : { maxConcurrent }) });

function zoneOptions({
  clusterDomain = "cluster.local",
  reverseZones = defaultReverseZones,
  ttl = 30,
  pods = "insecure",
  listen,
}: DnsOptions): ZoneOptions {
  const zoneName = (name: string): string => lowerCase(absolute(name));
  const ownAddresses = listen.addresses.flatMap((address) => {
    const text = canonicalAddress(address);
    const bytes = addressBytes(address);
    return text === undefined || bytes === undefined || text === "0.0.0.0" || text === "::" ? [] : [{ text, bytes }];
  });
  return { clusterDomain: zoneName(clusterDomain), reverseZones: reverseZones.map(zoneName), ttl, podMode: pods, ownAddresses };
}

async function listenAll(
  { listen, log, clock, mayAsk: mayAskFrom }: DnsOptions,
  served: { readonly handler: QueryHandler; readonly metrics: DnsMetrics },
): Promise<readonly ListeningServer[]> {
  // A socket for both families has those of IPv4 in the form of IPv6.
  const mayAsk = mayAskFrom && ((address: string): boolean => mayAskFrom(address.replace(/^::ffff:(?=\d+\.)/, "")));
  const warn = limitedLog(clock, (fields) => log.warn(fields, "failed to answer a question"));
  const onError = (error: unknown): void => warn({ error: messageOf(error) });
  for (let attempt = 1; ; attempt++) {
    await using stack = new AsyncDisposableStack();
    const servers: ListeningServer[] = [];
    let { port } = listen;
    try {
      for (const host of listen.addresses) {
        for (const open of [listenUdp, listenTcp]) {
          const server = stack.use(await open({ host, port, ...served, clock, mayAsk, onError }));
          servers.push(server);
          port = server.port;
        }
      }
      stack.move();
      return servers;
    } catch (error) {
      if (listen.port !== 0 || attempt === portAttempts) throw error;
    }
  }
}

interface LoopProbe {
  readonly question: Question;
  readonly see: (question: Question) => void;
  /** Whether it came back since it was asked last. */
  readonly cameBack: () => boolean;
}

/** A question that nobody else asks: when it is heard here, it has gone in a circle. */
function loopProbe(): LoopProbe {
  const label = (): string => String(randomInt(2 ** 47));
  const question = { name: `${label()}.${label()}.`, type: recordType.HINFO, class: classInternet };
  let seen = false;
  return {
    question,
    see: ({ type, name }) => {
      if (type === question.type && name === question.name) seen = true;
    },
    cameBack: () => {
      const was = seen;
      seen = false;
      return was;
    },
  };
}

async function findLoops(forwarder: Forwarder, { question, cameBack }: LoopProbe, log: DnsLog): Promise<void> {
  const found: readonly ServerAddress[] = await forwarder.excludeLoops(question, cameBack);
  for (const server of found) log.error({ server: addressText(server) }, "a name server forwards to this one: it is not asked any more");
}
