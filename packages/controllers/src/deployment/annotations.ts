/** What a Deployment notes in annotations: its revisions, and what its ReplicaSets were scaled for. */
import { maxReplicas } from "./bounds.ts";
import { type Deployment, type ReplicaSet, wantedOf } from "./rollout.ts";

export const revisionAnnotation = "deployment.kubernetes.io/revision";
/** The revisions that a ReplicaSet had before it was rolled back to, with commas between. */
const historyAnnotation = "deployment.kubernetes.io/revision-history";
export const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
export const maxAnnotation = "deployment.kubernetes.io/max-replicas";
/** How a rollback was asked for when there was an API for it. */
export const rollbackAnnotation = "deprecated.deployment.rollback.to";

type Annotations = Readonly<Record<string, string>>;

/** Each object's own; all others a ReplicaSet has from its Deployment. */
const own: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  rollbackAnnotation,
]);

/** Characters. About a hundred revisions. */
const maxHistoryLength = 2000;

/** An int64; 0 for none; undefined for what is no number. */
export function revisionOf({ metadata }: ReplicaSet | Deployment): bigint | undefined {
  return int64In(metadata?.annotations?.[revisionAnnotation] ?? "0");
}

/** Of what comes after all of them. */
export const nextRevision = (replicaSets: readonly ReplicaSet[]): bigint => BigInt.asIntN(64, (revisionsOf(replicaSets)[0] ?? 0n) + 1n);

/** The second highest, or 0. */
export const lastRevision = (replicaSets: readonly ReplicaSet[]): bigint => revisionsOf(replicaSets)[1] ?? 0n;

/** The highest first; what is no number or less than 1 counts for nothing. */
const revisionsOf = (replicaSets: readonly ReplicaSet[]): readonly bigint[] =>
  replicaSets
    .map((replicaSet) => revisionOf(replicaSet) ?? 0n)
    .filter((revision) => revision > 0n)
    .sort((a, b) => (a < b ? 1 : -1));

/** A number of Pods that was noted; undefined for none and for nonsense. */
export function notedReplicas({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata?.annotations?.[annotation] ?? "";
  return /^[0-9]+$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined;
}

/** Its Deployment's, with the revision unless it has a later one. What it had before goes to its history. */
export function withRevision(annotations: Annotations, deployment: Deployment, revision: bigint): Annotations {
  const before = annotations[revisionAnnotation];
  const previous = before === undefined || before === "" ? 0n : int64In(before);
  if (previous === undefined) return annotations;
  const next = { ...annotations, ...shared(deployment.metadata?.annotations) };
  if (previous >= revision) return next;
  next[revisionAnnotation] = String(revision);
  if (before !== undefined) next[historyAnnotation] = withEntry(annotations[historyAnnotation] ?? "", before);
  return next;
}

export const withReplicas = (annotations: Annotations, deployment: Deployment): Annotations => ({
  ...annotations,
  [desiredAnnotation]: String(wantedOf(deployment)),
  [maxAnnotation]: String(maxReplicas(deployment)),
});

/** A Deployment's annotations when it goes back to a ReplicaSet: its own stay, all others are as they were then. */
export const rolledBack = (annotations: Annotations, replicaSet: ReplicaSet): Annotations => ({
  ...Object.fromEntries(Object.entries(annotations).filter(([key]) => own.has(key))),
  ...shared(replicaSet.metadata?.annotations),
});

const shared = (annotations: Annotations = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => !own.has(key)));

/** The oldest go where there are too many. */
function withEntry(history: string, revision: string): string {
  if (history === "") return revision;
  const entries = history.split(",");
  while (entries.length > 0 && [...entries, revision].join(",").length > maxHistoryLength) entries.shift();
  return [...entries, revision].join(",");
}

/** Undefined for what is no number, or one of more than 64 bits. */
export function int64In(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
