/** The options of `coxswain controllers`. Those that kube-controller-manager has too are called as there. */
import { parseGoDuration } from "@coxswain/machinery";
import { Command, InvalidArgumentError, Option } from "commander";
import { controllersHelp, logLevels, type Options, type Output } from "../command.ts";
import { parseList, parsePort } from "../parse-options.ts";

export interface ControllersOptions extends Pick<Options, "logLevel" | "controllers"> {
  /** Undefined finds one as kubectl does. */
  readonly kubeconfig: string | undefined;
  /** Undefined takes the current one. */
  readonly context: string | undefined;
  /** Undefined works at once, whoever else does. */
  readonly leaderElection: LeaderElectionFlags | undefined;
  /** Undefined opens none; 0 takes any free one. */
  readonly metricsPort: number | undefined;
  /** Files in PEM. */
  readonly rootCaFile: string | undefined;
}

interface LeaderElectionFlags {
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

interface Parsed {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly controllers: readonly string[];
  readonly leaderElect?: boolean;
  readonly leaderElectResourceName: string;
  readonly leaderElectResourceNamespace: string;
  readonly leaderElectLeaseDuration: number;
  readonly leaderElectRenewDeadline: number;
  readonly leaderElectRetryPeriod: number;
  readonly metricsPort?: number;
  readonly rootCaFile?: string;
  readonly logLevel: Options["logLevel"];
}

/** Prints and throws CommanderError for `--help` and what it does not understand. */
export function parseControllersOptions(args: readonly string[], { print, complain }: Output): ControllersOptions {
  const command = new Command("coxswain controllers")
    .description("The controllers of a cluster in a process of their own, for any cluster.")
    .option("--kubeconfig <file>", "how to reach the cluster (default: as kubectl finds it)")
    .option("--context <name>", "which of its contexts (default: the current one)")
    .option("--controllers <names>", controllersHelp, parseList, ["*"])
    .option("--leader-elect", "work only while no other process of them does")
    .option("--leader-elect-resource-name <name>", "the Lease that they compete for", "coxswain-controllers")
    .option("--leader-elect-resource-namespace <name>", "where it is", "kube-system")
    .addOption(duration("--leader-elect-lease-duration <duration>", "after this time without a renewal another may lead", "15s"))
    .addOption(duration("--leader-elect-renew-deadline <duration>", "so long a leader tries to renew before it stops", "10s"))
    .addOption(duration("--leader-elect-retry-period <duration>", "time between attempts", "2s"))
    .option("--metrics-port <number>", "serve /metrics and /healthz on this port of this machine; 0 takes any free one", parsePort)
    .option("--root-ca-file <file>", "certificates to publish in every namespace")
    .addOption(new Option("--log-level <level>", "how much to log to standard error").choices(logLevels).default("info"))
    .helpOption("--help", "print this")
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: complain });
  return optionsOf(command.parse(args, { from: "user" }).opts<Parsed>());
}

function optionsOf(parsed: Parsed): ControllersOptions {
  return {
    kubeconfig: parsed.kubeconfig,
    context: parsed.context,
    controllers: parsed.controllers,
    leaderElection: parsed.leaderElect === true ? leaderElectionOf(parsed) : undefined,
    metricsPort: parsed.metricsPort,
    rootCaFile: parsed.rootCaFile,
    logLevel: parsed.logLevel,
  };
}

const leaderElectionOf = (parsed: Parsed): LeaderElectionFlags => ({
  lease: { namespace: parsed.leaderElectResourceNamespace, name: parsed.leaderElectResourceName },
  leaseDurationMs: parsed.leaderElectLeaseDuration,
  renewDeadlineMs: parsed.leaderElectRenewDeadline,
  retryPeriodMs: parsed.leaderElectRetryPeriod,
});

const duration = (flags: string, description: string, initial: string): Option =>
  new Option(flags, description).argParser(parseMilliseconds).default(parseMilliseconds(initial), initial);

function parseMilliseconds(text: string): number {
  const ms = parseGoDuration(text);
  if (typeof ms === "string") throw new InvalidArgumentError("It must be a duration like 15s or 1m30s.");
  return ms;
}
