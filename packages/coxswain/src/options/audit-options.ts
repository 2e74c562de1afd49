/** Which requests are recorded, and where: options that are called as kube-apiserver's. */
import { parseGoDuration } from "@coxswain/machinery";
import { type Command, Option } from "commander";

/** Whether requests wait for their events: with blocking-strict, those fail whose coming cannot be recorded. */
export type AuditMode = (typeof modes)[number];

const modes = ["batch", "blocking", "blocking-strict"] as const;
const formats = ["legacy", "json"] as const;

/** How many events wait to be sent, how many are sent at once, and how often. */
export interface AuditBatchSettings {
  readonly bufferSize: number;
  readonly maxSize: number;
  readonly maxWaitMs: number;
  /** Batches a second, and how many at once after a pause; undefined where nothing bounds them. */
  readonly throttle: { readonly qps: number; readonly burst: number } | undefined;
}

/** Bytes: of an event, and of those that are sent together. */
export interface AuditTruncateSettings {
  readonly maxEventSize: number;
  readonly maxBatchSize: number;
}

/** What the options of a backend have in common. */
export interface AuditBackendSettings {
  readonly mode: AuditMode;
  readonly batch: AuditBatchSettings;
  readonly truncate: AuditTruncateSettings | undefined;
}

export interface AuditLogSettings extends AuditBackendSettings {
  /** `-` is standard output. */
  readonly path: string;
  readonly format: (typeof formats)[number];
  /** Days; 0 keeps them for ever. */
  readonly maxAge: number;
  /** How many old files are kept; 0 keeps all. */
  readonly maxBackups: number;
  /** Of a file, before the next one begins. Megabytes; with 0 none begins. */
  readonly maxSize: number;
  readonly compress: boolean;
}

export interface AuditWebhookSettings extends AuditBackendSettings {
  /** A kubeconfig. */
  readonly configFile: string;
  readonly initialBackoffMs: number;
}

/** What the options of the audit log come to; files are not read yet. */
export interface AuditSettings {
  readonly policyFile: string | undefined;
  readonly log: AuditLogSettings | undefined;
  readonly webhook: AuditWebhookSettings | undefined;
}

export type ParsedAuditOptions = { readonly [name in `audit${string}`]?: string | boolean };

const plugins = ["log", "webhook"] as const;
type Plugin = (typeof plugins)[number];

/** The flags of both backends by what stands behind `--audit-log-` and `--audit-webhook-`. */
const common: readonly (readonly [name: string, value: string, description: (of: Plugin) => string])[] = [
  ["mode", "<mode>", (of) => `batch, blocking or blocking-strict (default: ${of === "log" ? "blocking" : "batch"})`],
  ["batch-buffer-size", "<number>", () => "events that wait at most; further ones are lost (default: 10000)"],
  ["batch-max-size", "<number>", (of) => `events that are sent together at most (default: ${defaults[of].maxSize})`],
  ["batch-max-wait", "<duration>", (of) => `how long they wait for others (default: ${defaults[of].maxWaitMs / 1000}s)`],
  ["batch-throttle-enable", "[boolean]", (of) => `bound how often batches are sent (default: ${defaults[of].isThrottled})`],
  ["batch-throttle-qps", "<number>", (of) => `batches a second (default: ${defaults[of].qps})`],
  ["batch-throttle-burst", "<number>", (of) => `batches at once after a pause (default: ${defaults[of].burst})`],
  ["truncate-enabled", "[boolean]", () => "leave out what was sent and answered where an event is too large (default: false)"],
  ["truncate-max-event-size", "<bytes>", () => "of an event; what is larger without that, too, is lost (default: 102400)"],
  ["truncate-max-batch-size", "<bytes>", () => "of events that are sent together (default: 10485760)"],
  ["version", "<version>", () => "the version of events; audit.k8s.io/v1 is the only one"],
];

const defaults = {
  log: { mode: "blocking", maxSize: 1, maxWaitMs: 0, isThrottled: false, qps: 0, burst: 0 },
  webhook: { mode: "batch", maxSize: 400, maxWaitMs: 30_000, isThrottled: true, qps: 10, burst: 15 },
} as const;

const own: readonly (readonly [name: string, value: string, description: string])[] = [
  ["policy-file", "<file>", "a Policy of audit.k8s.io/v1: which requests are recorded, and how much of them"],
  ["log-path", "<file>", "where they are recorded, an event a line; - is standard output"],
  ["log-format", "<format>", "json or legacy, a line of text (default: json)"],
  ["log-maxage", "<days>", "for how long old files of the log are kept; 0 is for ever (default: 366)"],
  ["log-maxbackup", "<number>", "how many old files of the log are kept; 0 is all (default: 100)"],
  ["log-maxsize", "<megabytes>", "of a file of the log, before the next one begins; with 0 none does (default: 100)"],
  ["log-compress", "[boolean]", "compress old files of the log with gzip (default: false)"],
  ["webhook-config-file", "<file>", "a kubeconfig that says whom events are sent to"],
  ["webhook-initial-backoff", "<duration>", "the pause before events are sent again that were not taken (default: 10s)"],
  ["webhook-batch-initial-backoff", "<duration>", "the deprecated name of --audit-webhook-initial-backoff"],
];

const all = [...own, ...plugins.flatMap((of) => common.map(([name, value, describe]) => [`${of}-${name}`, value, describe(of)] as const))];

/** Without the hyphens before them; the booleans by themselves, as their values may be left out. */
export const auditFlags = {
  values: all.filter(([, value]) => value !== "[boolean]").map(([name]) => `audit-${name}`),
  booleans: all.filter(([, value]) => value === "[boolean]").map(([name]) => `audit-${name}`),
};

export function addAuditOptions(command: Command): Command {
  for (const [name, value, description] of all) {
    const option = new Option(`--audit-${name} ${value}`, description);
    command.addOption(value === "[boolean]" ? option.preset("true") : option);
  }
  return command;
}

/** Undefined without any of the options that matter. @param fail throws what is wrong, in Kubernetes' words */
export function auditSettingsOf(read: (flag: string) => string | undefined, fail: (message: string) => never): AuditSettings | undefined {
  const values = new FlagValues(read, fail);
  const settings: AuditSettings = { policyFile: values.text("audit-policy-file"), log: logOf(values), webhook: webhookOf(values) };
  return Object.values(settings).every((value) => value === undefined) ? undefined : settings;
}

/** As the parser of the command has them. */
export const parsedAuditFlag =
  (parsed: ParsedAuditOptions) =>
  (flag: string): string | undefined => {
    const value = parsed[flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()) as `audit${string}`];
    return value === undefined ? undefined : String(value);
  };

function logOf(values: FlagValues): AuditLogSettings | undefined {
  const path = values.text("audit-log-path");
  if (path === undefined || path === "") return undefined;
  const format = values.text("audit-log-format") ?? "json";
  const backend = backendOf(values, "log");
  return {
    path,
    ...backend,
    format:
      formats.find((known) => known === format) ??
      values.fail(`invalid audit log format ${format}, allowed formats are "${formats.join(",")}"`),
    maxAge: values.count("audit-log-maxage", 366),
    maxBackups: values.count("audit-log-maxbackup", 100),
    maxSize: values.count("audit-log-maxsize", 100),
    compress: values.boolean("audit-log-compress", false),
  };
}

function webhookOf(values: FlagValues): AuditWebhookSettings | undefined {
  const configFile = values.text("audit-webhook-config-file");
  if (configFile === undefined || configFile === "") return undefined;
  const former = values.duration("audit-webhook-batch-initial-backoff", 10_000);
  return { configFile, ...backendOf(values, "webhook"), initialBackoffMs: values.duration("audit-webhook-initial-backoff", former) };
}

function backendOf(values: FlagValues, of: Plugin): AuditBackendSettings {
  const given = defaults[of];
  const at = `audit-${of}`;
  const mode = values.text(`${at}-mode`) ?? given.mode;
  const known = modes.find((one) => one === mode);
  if (known === undefined) return values.fail(`invalid audit ${of} mode ${mode}, allowed modes are "${modes.join(",")}"`);
  const version = values.text(`${at}-version`) ?? "audit.k8s.io/v1";
  if (version !== "audit.k8s.io/v1") values.fail(`invalid group version, allowed versions are [{"audit.k8s.io" "v1"}]`);
  const isThrottled = values.boolean(`${at}-batch-throttle-enable`, given.isThrottled);
  const throttle = {
    qps: values.number(`${at}-batch-throttle-qps`, given.qps),
    burst: values.number(`${at}-batch-throttle-burst`, given.burst),
  };
  const batch: AuditBatchSettings = {
    bufferSize: values.number(`${at}-batch-buffer-size`, 10_000),
    maxSize: values.number(`${at}-batch-max-size`, given.maxSize),
    maxWaitMs: values.duration(`${at}-batch-max-wait`, given.maxWaitMs),
    throttle: isThrottled ? throttle : undefined,
  };
  if (known === "batch") checkBatch(batch, of, values);
  const truncate = {
    maxEventSize: values.number(`${at}-truncate-max-event-size`, 100 * 1024),
    maxBatchSize: values.number(`${at}-truncate-max-batch-size`, 10 * 1024 * 1024),
  };
  checkTruncate(truncate, of, values);
  return { mode: known, batch, truncate: values.boolean(`${at}-truncate-enabled`, false) ? truncate : undefined };
}

function checkBatch({ bufferSize, maxSize, throttle }: AuditBatchSettings, of: Plugin, { fail }: FlagValues): void {
  const check = (value: number, what: string): void => {
    if (value <= 0) fail(`invalid audit batch ${of} ${what} ${value}, must be a positive number`);
  };
  check(bufferSize, "buffer size");
  check(maxSize, "max batch size");
  if (throttle === undefined) return;
  check(throttle.qps, "throttle QPS");
  check(throttle.burst, "throttle burst");
}

function checkTruncate({ maxEventSize, maxBatchSize }: AuditTruncateSettings, of: Plugin, { fail }: FlagValues): void {
  if (maxEventSize <= 0) fail(`invalid audit truncate ${of} max event size ${maxEventSize}, must be a positive number`);
  if (maxBatchSize < maxEventSize) {
    fail(`invalid audit truncate ${of} max batch size ${maxBatchSize}, must be greater than max event size (${maxEventSize})`);
  }
}

/** Texts of flags as values. */
class FlagValues {
  readonly text: (flag: string) => string | undefined;
  readonly fail: (message: string) => never;

  constructor(read: (flag: string) => string | undefined, fail: (message: string) => never) {
    this.text = read;
    this.fail = fail;
  }

  /** Not negative. */
  count(flag: string, otherwise: number): number {
    const value = this.number(flag, otherwise);
    return value < 0 ? this.fail(`--${flag} ${value} can't be a negative number`) : value;
  }

  number(flag: string, otherwise: number): number {
    const text = this.text(flag);
    if (text === undefined) return otherwise;
    const pattern = flag.endsWith("-qps") ? /^-?\d{1,9}(?:\.\d{1,9})?$/ : /^-?\d{1,15}$/;
    return pattern.test(text) ? Number(text) : this.#invalid(flag, text, "it must be a number");
  }

  duration(flag: string, otherwise: number): number {
    const text = this.text(flag);
    if (text === undefined) return otherwise;
    const ms = parseGoDuration(text);
    return typeof ms === "number" ? ms : this.#invalid(flag, text, ms);
  }

  boolean(flag: string, otherwise: boolean): boolean {
    const text = this.text(flag);
    if (text === undefined) return otherwise;
    return text === "true" || (text === "false" ? false : this.#invalid(flag, text, "it must be true or false"));
  }

  #invalid(flag: string, text: string, why: string): never {
    return this.fail(`invalid argument ${JSON.stringify(text)} for "--${flag}" flag: ${why}`);
  }
}
