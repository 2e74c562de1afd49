/** Options of every component that has a process of its own. Those that Kubernetes' have too are called as there. */
import { parseGoDuration } from "@coxswain/machinery";
import { type Command, InvalidArgumentError, Option } from "commander";
import { addLogOptions, type LogOptions } from "./log-options.ts";
import { parsePort } from "./parse-values.ts";

export interface LeaderElectionFlags {
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

export interface ConnectionOptions extends LogOptions {
  /** Undefined finds one as kubectl does. */
  readonly kubeconfig: string | undefined;
  /** Undefined takes the current one. */
  readonly context: string | undefined;
}

export interface StandaloneOptions extends ConnectionOptions {
  /** Undefined works at once, whoever else does. */
  readonly leaderElection: LeaderElectionFlags | undefined;
  /** Undefined opens none; 0 takes any free one. */
  readonly metricsPort: number | undefined;
  /** Default: 127.0.0.1. */
  readonly metricsHost?: string;
  /** Undefined: requests are sent as they come. */
  readonly apiRate?: ApiRate | undefined;
}

/** Of requests that a component sends. */
export interface ApiRate {
  readonly qps: number;
  readonly burst: number;
}

export interface ParsedConnectionOptions extends LogOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface ParsedStandaloneOptions extends ParsedConnectionOptions {
  readonly metricsPort?: number;
  readonly kubeApiQps: number;
  readonly kubeApiBurst: number;
  readonly leaderElect?: boolean;
  readonly leaderElectResourceName: string;
  readonly leaderElectResourceNamespace: string;
  readonly leaderElectLeaseDuration: number;
  readonly leaderElectRenewDeadline: number;
  readonly leaderElectRetryPeriod: number;
}

/** How it reaches the cluster, and what it logs. */
export const addConnectionOptions = (command: Command): Command =>
  addLogOptions(
    command
      .option("--kubeconfig <file>", "how to reach the cluster (default: as kubectl finds it)")
      .option("--context <name>", "which of its contexts (default: the current one)"),
  );

/** And what it logs, and whether it competes for `leaseName`. */
export const addStandaloneOptions = (command: Command, leaseName: string): Command =>
  addConnectionOptions(command)
    .option("--leader-elect", "work only while no other process of them does")
    .option("--leader-elect-resource-name <name>", "the Lease that they compete for", leaseName)
    .option("--leader-elect-resource-namespace <name>", "where it is", "kube-system")
    .addOption(duration("--leader-elect-lease-duration <duration>", "after this time without a renewal another may lead", "15s"))
    .addOption(duration("--leader-elect-renew-deadline <duration>", "so long a leader tries to renew before it stops", "10s"))
    .addOption(duration("--leader-elect-retry-period <duration>", "time between attempts", "2s"))
    .option("--kube-api-qps <number>", "send at most so many requests a second; 0 for as many as come", parseRate, 0)
    .option("--kube-api-burst <number>", "with --kube-api-qps: so many at once after a rest", parseRate, 30)
    .option("--metrics-port <number>", "serve /metrics and /healthz on this port of this machine; 0 takes any free one", parsePort);

export const connectionOptionsOf = ({ kubeconfig, context, logLevel, logFormat }: ParsedConnectionOptions): ConnectionOptions => ({
  kubeconfig,
  context,
  logLevel,
  logFormat,
});

export const standaloneOptionsOf = (parsed: ParsedStandaloneOptions): StandaloneOptions => ({
  ...connectionOptionsOf(parsed),
  leaderElection: leaderElectionOf(parsed),
  metricsPort: parsed.metricsPort,
  apiRate: parsed.kubeApiQps === 0 ? undefined : { qps: parsed.kubeApiQps, burst: Math.max(parsed.kubeApiBurst, 1) },
});

const leaderElectionOf = (parsed: ParsedStandaloneOptions): LeaderElectionFlags | undefined =>
  parsed.leaderElect === true
    ? {
        lease: { namespace: parsed.leaderElectResourceNamespace, name: parsed.leaderElectResourceName },
        leaseDurationMs: parsed.leaderElectLeaseDuration,
        renewDeadlineMs: parsed.leaderElectRenewDeadline,
        retryPeriodMs: parsed.leaderElectRetryPeriod,
      }
    : undefined;

const duration = (flags: string, description: string, initial: string): Option =>
  new Option(flags, description).argParser(parseMilliseconds).default(parseMilliseconds(initial), initial);

function parseRate(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("It must be a number from 0 to 999999.");
  return Number(text);
}

export function parseMilliseconds(text: string): number {
  const ms = parseGoDuration(text);
  if (typeof ms === "string") throw new InvalidArgumentError("It must be a duration like 15s or 1m30s.");
  return ms;
}
