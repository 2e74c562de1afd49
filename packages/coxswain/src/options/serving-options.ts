/** How requests are served, and how serving ends: options that are called as kube-apiserver's. */
import type { ServingOptions } from "@coxswain/apiserver";
import { parseGoDuration } from "@coxswain/machinery";
import { type Command, InvalidArgumentError } from "commander";

/** What the options of serving come to. */
export type ServingSettings = ServingOptions;

export interface ParsedServingOptions {
  readonly goawayChance?: number | undefined;
  readonly requestTimeout?: number | undefined;
  /** Seconds. */
  readonly minRequestTimeout?: number | undefined;
  readonly shutdownDelayDuration?: number | undefined;
  readonly shutdownSendRetryAfter?: boolean | undefined;
  readonly http2MaxStreamsPerConnection?: number | undefined;
}

export const addServingOptions = (command: Command): Command =>
  command
    .option("--request-timeout <duration>", "how long a request may take, watches excepted (default: 1m)", parser("request-timeout"))
    .option(
      "--min-request-timeout <seconds>",
      "watches without a timeout of their own end between one and two of these (default: 1800)",
      parser("min-request-timeout"),
    )
    .option(
      "--goaway-chance <number>",
      "how likely a client on HTTP/2 has to connect anew after a request, up to 0.02 (default: 0)",
      parser("goaway-chance"),
    )
    .option(
      "--http2-max-streams-per-connection <number>",
      "how many requests of a connection are served at the same time (default: 1000)",
      parser("http2-max-streams-per-connection"),
    )
    .option(
      "--livez-grace-period <duration>",
      "makes no difference: the port opens once all that /livez looks at has started",
      parser("livez-grace-period"),
    )
    .option(
      "--shutdown-delay-duration <duration>",
      "before it ends it is not ready for so long, and serves all requests (default: 0s)",
      parser("shutdown-delay-duration"),
    )
    .option("--shutdown-send-retry-after", "answer with 429 what comes while the requests under way are answered, before it ends");

/** Undefined without any of the options. */
export function servingSettingsOf(parsed: ParsedServingOptions): ServingSettings | undefined {
  const { minRequestTimeout, http2MaxStreamsPerConnection } = parsed;
  const settings: ServingSettings = {
    goawayChance: parsed.goawayChance,
    requestTimeoutMs: parsed.requestTimeout,
    minRequestTimeoutMs: minRequestTimeout === undefined ? undefined : minRequestTimeout * 1000,
    shutdownDelayMs: parsed.shutdownDelayDuration,
    shutdownSendRetryAfter: parsed.shutdownSendRetryAfter,
    // As with kube-apiserver, none means the default.
    maxStreamsPerConnection: http2MaxStreamsPerConnection === 0 ? undefined : http2MaxStreamsPerConnection,
  };
  return Object.values(settings).every((value) => value === undefined) ? undefined : settings;
}

type NumericFlag =
  | "goaway-chance"
  | "http2-max-streams-per-connection"
  | "livez-grace-period"
  | "min-request-timeout"
  | "request-timeout"
  | "shutdown-delay-duration";

/** The value of a flag, or, where it cannot be used, why: in Kubernetes' words, as far as they are about its meaning. */
export function parseServingFlag(name: NumericFlag, text: string): number | string {
  switch (name) {
    case "goaway-chance": {
      const chance = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e-?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
      if (Number.isNaN(chance)) return "it must be a number like 0.001";
      return chance < 0 || chance > 0.02 ? "--goaway-chance can not be less than 0 or greater than 0.02" : chance;
    }
    case "http2-max-streams-per-connection":
      return countOf(text) ?? "it must be a number that is not negative";
    case "min-request-timeout":
      if (/^-\d+$/.test(text)) return "--min-request-timeout can not be negative value";
      return countOf(text) ?? "it must be a number of seconds";
    default: {
      const ms = parseGoDuration(text);
      if (typeof ms === "string") return "it must be a duration like 15s or 1m30s";
      return ms < 0 ? `--${name} can not be ${name === "livez-grace-period" ? "a negative" : "negative"} value` : ms;
    }
  }
}

const countOf = (text: string): number | undefined => (/^\d{1,9}$/.test(text) ? Number(text) : undefined);

const parser =
  (name: NumericFlag) =>
  (text: string): number => {
    const value = parseServingFlag(name, text);
    if (typeof value === "string") throw new InvalidArgumentError(`${value.replace(/^it/, "It")}.`);
    return value;
  };
