/** Which requests are recorded, and where: options that are called as kube-apiserver's. */
import { type Command, InvalidArgumentError, Option } from "commander";

/** What becomes of a request whose event cannot be written: it goes on or, with blocking-strict, fails. */
export type AuditMode = (typeof modes)[number];

const modes = ["blocking", "blocking-strict"] as const;

/** What the options of the audit log come to; files are not read yet. */
export interface AuditSettings {
  readonly policyFile: string | undefined;
  /** `-` is standard output; undefined where there is no log. */
  readonly logPath: string | undefined;
  readonly mode: AuditMode;
  /** Days; 0 keeps them for ever. */
  readonly maxAge: number;
  /** How many old files are kept; 0 keeps all. */
  readonly maxBackups: number;
  /** Of a file, before the next one begins. Megabytes; 0 is 100, as there. */
  readonly maxSize: number;
}

export interface ParsedAuditOptions {
  readonly auditPolicyFile?: string | undefined;
  readonly auditLogPath?: string | undefined;
  readonly auditLogMode?: string | undefined;
  readonly auditLogMaxage?: number | undefined;
  readonly auditLogMaxbackup?: number | undefined;
  readonly auditLogMaxsize?: number | undefined;
}

export const addAuditOptions = (command: Command): Command =>
  command
    .option("--audit-policy-file <file>", "a Policy of audit.k8s.io/v1: which requests are recorded, and how much of them")
    .option("--audit-log-path <file>", "where they are recorded, an event of JSON a line; - is standard output")
    .addOption(new Option("--audit-log-mode <mode>", "with blocking-strict, what cannot be recorded fails").choices(modes))
    .option("--audit-log-maxage <days>", "for how long old files of the log are kept; 0 is for ever", parseCount)
    .option("--audit-log-maxbackup <number>", "how many old files of the log are kept; 0 is all", parseCount)
    .option("--audit-log-maxsize <megabytes>", "of a file of the log, before the next one begins (default: 100)", parseCount);

/** Undefined without any of the options. */
export function auditSettingsOf(parsed: ParsedAuditOptions): AuditSettings | undefined {
  const { auditPolicyFile: policyFile, auditLogPath: logPath } = parsed;
  if (policyFile === undefined && logPath === undefined) return undefined;
  return {
    policyFile,
    logPath,
    mode: modes.find((mode) => mode === parsed.auditLogMode) ?? "blocking",
    maxAge: parsed.auditLogMaxage ?? 0,
    maxBackups: parsed.auditLogMaxbackup ?? 0,
    maxSize: parsed.auditLogMaxsize ?? 0,
  };
}

/** What is wrong with a mode in Kubernetes' words; undefined for one that is there. */
export function auditModeProblem(mode: string): string | undefined {
  if (mode === "batch") return "--audit-log-mode=batch cannot be had: events are written while requests wait";
  return modes.some((known) => known === mode) ? undefined : `invalid audit log mode ${mode}, allowed modes are "batch,${modes.join(",")}"`;
}

function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a number that is not negative.");
  return Number(text);
}
