/** The Pod security standards. @see https://kubernetes.io/docs/concepts/security/pod-security-standards/ */
import type { Check, CheckedPod, VersionedCheck, Violation } from "./check.ts";
import { containerChecks } from "./container-checks.ts";
import { hostChecks } from "./host-checks.ts";
import type { LevelVersion } from "./policy.ts";
import { profileChecks } from "./profile-checks.ts";

const byId = (a: Check, b: Check): number => (a.id < b.id ? -1 : 1);
const checks = [...hostChecks, ...profileChecks, ...containerChecks].sort(byId);
const baseline = checks.filter(({ level }) => level === "baseline");
const restricted = checks.filter(({ level }) => level === "restricted");

/** What a Pod does that a level forbids, in the order in which Kubernetes tells it. */
export function violations({ level, version }: LevelVersion, pod: CheckedPod): Violation[] {
  if (level === "privileged") return [];
  const minor = version === "latest" ? Number.POSITIVE_INFINITY : version;
  const more = level === "restricted" ? inVersion(restricted, minor) : [];
  const overridden = new Set(more.map(({ overrides }) => overrides));
  const basic = inVersion(
    baseline.filter(({ id }) => !overridden.has(id)),
    minor,
  );
  return [...basic, ...more].flatMap(({ check }) => check(pod) ?? []);
}

const inVersion = (list: readonly Check[], minor: number): VersionedCheck[] =>
  list.flatMap(({ versions }) => versions.findLast(({ since }) => since <= minor) ?? []);

/** The words alone. */
export const reasonsOf = (list: readonly Violation[]): string => list.map(({ reason }) => reason).join(", ");

/** With what is behind each. */
export const detailsOf = (list: readonly Violation[]): string =>
  list.map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ");
