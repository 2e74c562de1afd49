/** The options of `coxswain dns`. */
import { isIP } from "node:net";
import { type PodMode, parseServerAddress, type ServerAddress } from "@coxswain/dns";
import { type Command, InvalidArgumentError, Option } from "commander";
import { baseCommand, type Output } from "./base-command.ts";
import { parseDomain, parseList, parsePort } from "./parse-values.ts";
import { addConnectionOptions, type ConnectionOptions, connectionOptionsOf, type ParsedConnectionOptions } from "./standalone-options.ts";

/** A name server, or a file like /etc/resolv.conf that names some. */
export type ForwardTarget = { readonly kind: "server"; readonly server: ServerAddress } | { readonly kind: "file"; readonly path: string };

export interface StubDomain {
  readonly zone: string;
  readonly servers: readonly ServerAddress[];
}

export interface DnsCommandOptions extends ConnectionOptions {
  readonly listenAddresses: readonly string[];
  readonly port: number;
  readonly clusterDomain: string;
  readonly pods: PodMode;
  /** Seconds. */
  readonly ttl: number;
  readonly forward: readonly ForwardTarget[];
  readonly stubDomains: readonly StubDomain[];
  readonly maxConcurrent: number;
  /** Of the Service kube-dns. */
  readonly clusterDns: readonly string[];
  /** Where Pods reach it; none: kube-dns is left alone. */
  readonly advertiseAddresses: readonly string[];
  /** Undefined opens none; 0 takes any free one. */
  readonly metricsPort: number | undefined;
}

interface Parsed extends ParsedConnectionOptions {
  readonly listenAddress: readonly string[];
  readonly port: number;
  readonly clusterDomain: string;
  readonly pods: PodMode;
  readonly ttl: number;
  readonly forward: readonly ForwardTarget[];
  readonly stubDomain: readonly StubDomain[];
  readonly maxConcurrent: number;
  readonly clusterDns: readonly string[];
  readonly advertiseAddress: readonly string[];
  readonly metricsPort?: number;
}

const resolvConf = "/etc/resolv.conf";
const podModes = ["insecure", "verified", "disabled"] satisfies readonly PodMode[];

export const dnsCommand = (output: Output): Command =>
  addConnectionOptions(baseCommand("dns", output))
    .description("A DNS server that answers the names of Services and Pods, for any cluster.")
    .option("--listen-address <addresses>", "where it listens, by UDP and TCP", parseAddresses, ["127.0.0.1"])
    .option("--port <number>", "on which port; 0 takes any free one", parsePort, 53)
    .option("--cluster-domain <name>", "what the names of the cluster end with", parseDomain, "cluster.local")
    .addOption(
      new Option("--pods <which>", "which names of Pods have addresses: all, those of Pods that are there, none")
        .choices(podModes)
        .default("insecure"),
    )
    .option("--ttl <seconds>", "how long answers may be remembered", parseTtl, 30)
    .addOption(
      new Option("--forward <servers>", "who is asked for other names: addresses, or a file that has them")
        .argParser(parseTargets)
        .default([{ kind: "file", path: resolvConf }], resolvConf),
    )
    .option("--stub-domain <name=servers>", "who is asked for names that end with this; may be repeated", addStubDomain, [])
    .option(
      "--max-concurrent <number>",
      "so many questions may wait for others' answers, of one asker half of them at most",
      parseCount,
      1000,
    )
    .option(
      "--advertise-address <addresses>",
      "where Pods reach it: it writes the Service kube-dns (default: it does not)",
      parseAddresses,
      [],
    )
    .option("--cluster-dns <addresses>", "the addresses of that Service", parseAddresses, ["10.96.0.10"])
    .option("--metrics-port <number>", "serve /metrics and /healthz on this port of this machine; 0 takes any free one", parsePort);

/** Prints and throws CommanderError for `--help` and what it does not understand. */
export function parseDnsOptions(args: readonly string[], output: Output): DnsCommandOptions {
  const parsed = dnsCommand(output).parse(args, { from: "user" }).opts<Parsed>();
  return {
    ...connectionOptionsOf(parsed),
    listenAddresses: parsed.listenAddress,
    port: parsed.port,
    clusterDomain: parsed.clusterDomain,
    pods: parsed.pods,
    ttl: parsed.ttl,
    forward: parsed.forward,
    stubDomains: parsed.stubDomain,
    maxConcurrent: parsed.maxConcurrent,
    clusterDns: parsed.clusterDns,
    advertiseAddresses: parsed.advertiseAddress,
    metricsPort: parsed.metricsPort,
  };
}

function parseAddresses(text: string): string[] {
  const addresses = parseList(text);
  if (addresses.length === 0 || addresses.some((one) => isIP(one) === 0)) throw new InvalidArgumentError("It must be IP addresses: IP,…");
  return addresses;
}

function parseTtl(text: string): number {
  const ttl = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(ttl <= 3600)) throw new InvalidArgumentError("It must be a number from 0 to 3600.");
  return ttl;
}

function parseCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count >= 1)) throw new InvalidArgumentError("It must be a number from 1 on.");
  return count;
}

const parseTargets = (text: string): ForwardTarget[] =>
  parseList(text).map((one) => (one.startsWith("/") ? { kind: "file", path: one } : { kind: "server", server: parseServer(one) }));

function parseServer(text: string): ServerAddress {
  const server = parseServerAddress(text);
  if (server === undefined)
    throw new InvalidArgumentError(`${JSON.stringify(text)} is no address of a name server: IP, IP:port or [IPv6]:port.`);
  return server;
}

function addStubDomain(text: string, before: readonly StubDomain[]): StubDomain[] {
  const equals = text.indexOf("=");
  if (equals < 1) throw new InvalidArgumentError("It must be name=server,…");
  return [...before, { zone: parseDomain(text.slice(0, equals)), servers: parseList(text.slice(equals + 1)).map(parseServer) }];
}
