/** How much of the past is kept: by the store, for watches, and of what it forgets. */
import { parseQuantity } from "@coxswain/machinery";
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseMilliseconds } from "./standalone-options.ts";

/** What is kept in the data directory of what the store forgets. */
export interface HistorySettings {
  /** Milliseconds. Undefined: however old. */
  readonly maxAgeMs: number | undefined;
  /** Bytes of the file. Undefined: however large. */
  readonly maxBytes: number | undefined;
}

export interface HistoryOptions {
  /** After which the store forgets what was; 0 keeps as much as it has room for. Default: five minutes. */
  readonly etcdCompactionIntervalMs?: number | undefined;
  /** What is kept of that in the data directory. Default: nothing. */
  readonly history?: HistorySettings | undefined;
  /** A file of what is to hold of every version of every object. */
  readonly invariants?: string | undefined;
}

export interface ParsedHistoryOptions {
  readonly etcdCompactionInterval?: number;
  readonly history?: "none" | "window" | "all";
  readonly historyMaxAge?: number;
  readonly historyMaxBytes?: number;
  readonly invariants?: string;
}

/** By default, a day, and as much as a file of 1 GiB holds. */
const window: HistorySettings = { maxAgeMs: 24 * 3_600_000, maxBytes: 2 ** 30 };

export const addHistoryOptions = (command: Command): Command =>
  command
    .option(
      "--etcd-compaction-interval <duration>",
      "what is older than one to two of these is forgotten by the store, and is in its history alone; 0 keeps what there is room for (default: 5m)",
      parseMilliseconds,
    )
    .addOption(
      new Option(
        "--history <extent>",
        "what is kept of the past in the data directory: all, a window of it, or none but what watches need (default: window; none where the state is in etcd)",
      ).choices(["none", "window", "all"]),
    )
    .option(
      "--history-max-age <duration>",
      "what is older is dropped from history (default: 24h; with --history=all nothing is)",
      parseMilliseconds,
    )
    .option(
      "--history-max-bytes <quantity>",
      "the oldest is dropped when history is larger (default: 1Gi; with --history=all nothing is)",
      parseBytes,
    )
    .option("--invariants <file>", "an InvariantConfiguration: what is to hold of every version of every object");

export const historyOptionsOf = (parsed: ParsedHistoryOptions, isInEtcd: boolean): HistoryOptions => ({
  etcdCompactionIntervalMs: parsed.etcdCompactionInterval,
  history: historySettingsOf(parsed, isInEtcd),
  ...(parsed.invariants === undefined ? {} : { invariants: parsed.invariants }),
});

/** Undefined: none is kept. */
function historySettingsOf(parsed: ParsedHistoryOptions, isInEtcd: boolean): HistorySettings | undefined {
  const { history = isInEtcd ? "none" : "window", historyMaxAge, historyMaxBytes } = parsed;
  if (history === "none") return undefined;
  const { maxAgeMs, maxBytes } = history === "all" ? { maxAgeMs: undefined, maxBytes: undefined } : window;
  return { maxAgeMs: historyMaxAge ?? maxAgeMs, maxBytes: historyMaxBytes ?? maxBytes };
}

/** With less a file is full before it says anything. */
const leastBytes = 2 ** 20;

function parseBytes(text: string): number {
  const bytes = parseQuantity(text)?.toNumber() ?? Number.NaN;
  if (!(bytes >= leastBytes)) throw new InvalidArgumentError("It must be a quantity like 500Mi, of at least 1Mi.");
  return bytes;
}
