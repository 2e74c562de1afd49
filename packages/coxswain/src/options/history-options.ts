/** How much of the past is kept. */
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

export interface ParsedHistoryOptions {
  readonly history?: "none" | "window" | "all";
  readonly historyMaxAge?: number;
  readonly historyMaxBytes?: number;
}

/** By default, a day, and as much as a file of 1 GiB holds. */
const window: HistorySettings = { maxAgeMs: 24 * 3_600_000, maxBytes: 2 ** 30 };

export const addHistoryOptions = (command: Command): Command =>
  command
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
    );

/** Undefined: none is kept. */
export function historySettingsOf(parsed: ParsedHistoryOptions, isInEtcd: boolean): HistorySettings | undefined {
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
