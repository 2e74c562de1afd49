/** Which level a namespace asks for, by its labels. @see https://kubernetes.io/docs/concepts/security/pod-security-admission/#pod-security-admission-labels-for-namespaces */
import { field } from "@coxswain/machinery";

export type Level = "privileged" | "baseline" | "restricted";

export interface LevelVersion {
  readonly level: Level;
  /** A minor version of Kubernetes, or the newest that is known. */
  readonly version: number | "latest";
}

/** What becomes of violations: they are refused, noted in the audit log, or told the client. */
export type Mode = "enforce" | "audit" | "warn";
export type PodSecurityPolicy = Readonly<Record<Mode, LevelVersion>>;

const levels: readonly Level[] = ["privileged", "baseline", "restricted"];
const newest: LevelVersion = { level: "privileged", version: "latest" };
const prefix = "pod-security.kubernetes.io/";

/** Negative, zero or positive, as `a` forbids less than, the same as or more than `b`. */
export const compareLevels = (a: Level, b: Level): number => levels.indexOf(a) - levels.indexOf(b);

/** `restricted:v1.25`, `baseline:latest`. */
export const showLevel = ({ level, version }: LevelVersion): string => `${level}:${version === "latest" ? version : `v1.${version}`}`;

export const isFullyPrivileged = (policy: PodSecurityPolicy): boolean =>
  policy.enforce.level === "privileged" && policy.audit.level === "privileged" && policy.warn.level === "privileged";

/** Of namespaces whose labels say nothing, unless the server is configured otherwise. */
export const defaultPolicy: PodSecurityPolicy = { enforce: newest, audit: newest, warn: newest };

/** A level by its name. */
export const parseLevel = (text: string): Level | undefined => levels.find((level) => level === text);

/** The version that `latest` or `v1.25` names. */
export function parseVersion(text: string): LevelVersion["version"] | undefined {
  if (text === "latest") return text;
  const minor = /^v1\.([0-9]|[1-9][0-9]*)$/.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

export const levelProblem = `must be one of ${levels.join(", ")}`;
export const versionProblem = 'must be "latest" or "v1.x"';

/** The policy, and what is wrong with the labels. A level that cannot be read is `restricted` where it is enforced, else `privileged`. */
export function policyOf(
  labels: Readonly<Record<string, string>> = {},
  defaults: PodSecurityPolicy = defaultPolicy,
): { readonly policy: PodSecurityPolicy; readonly errors: readonly field.FieldError[] } {
  const errors: field.FieldError[] = [];
  const levelOf = (mode: Mode): Level | undefined => {
    const label = `${prefix}${mode}`;
    const value = labels[label];
    const level = value === undefined ? undefined : parseLevel(value);
    if (value === undefined || level !== undefined) return level;
    errors.push(field.invalid(`metadata.labels[${label}]`, value, levelProblem));
    return mode === "enforce" ? "restricted" : "privileged";
  };
  const versionOf = (mode: Mode): LevelVersion["version"] | undefined => {
    const label = `${prefix}${mode}-version`;
    const value = labels[label];
    if (value === undefined) return undefined;
    const version = parseVersion(value);
    if (version === undefined) errors.push(field.invalid(`metadata.labels[${label}]`, value, versionProblem));
    return version ?? "latest";
  };
  const read = (mode: Mode): LevelVersion => ({
    level: levelOf(mode) ?? defaults[mode].level,
    version: versionOf(mode) ?? defaults[mode].version,
  });
  const enforce = read("enforce");
  const audit = read("audit");
  const warn = read("warn");
  return { policy: { enforce, audit, warn: warnsOf(labels, { enforce, warn }) }, errors };
}

/** Whoever enforces a level also warns of it, unless the labels say what to warn of. */
function warnsOf(labels: Readonly<Record<string, string>>, { enforce, warn }: Pick<PodSecurityPolicy, "enforce" | "warn">): LevelVersion {
  const enforced = labels[`${prefix}enforce`];
  if (labels[`${prefix}warn`] !== undefined || enforced === undefined || !levels.includes(enforced as Level)) return warn;
  if (compareLevels(enforce.level, warn.level) <= 0) return warn;
  return { level: enforce.level, version: labels[`${prefix}warn-version`] === undefined ? enforce.version : warn.version };
}
