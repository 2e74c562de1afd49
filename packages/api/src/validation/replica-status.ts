/** Counts of pods in the status of what makes them. */
import { field } from "@coxswain/machinery";
import { type Errors, nonNegative } from "./checks.ts";

interface ReplicaCounts {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly collisionCount?: number;
}

type Count = keyof ReplicaCounts;

/** Each kind's counts, in the order in which they are checked. */
const counts = {
  Deployment: [
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
  ],
  ReplicaSet: ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration", "terminatingReplicas"],
  StatefulSet: [
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
  ],
} as const satisfies Readonly<Record<string, readonly Count[]>>;

const partsOfAll: ReadonlySet<Count> = new Set<Count>([
  "fullyLabeledReplicas",
  "updatedReplicas",
  "currentReplicas",
  "readyReplicas",
  "availableReplicas",
]);

/** A ReplicationController counts as a ReplicaSet does. */
export function validateReplicaCounts(kind: keyof typeof counts, status: Readonly<ReplicaCounts> | undefined): Errors {
  const out: Errors = [];
  if (!status) return out;
  for (const name of counts[kind]) nonNegative(out, `status.${name}`, status[name] ?? undefined);
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  for (const name of counts[kind]) {
    const count = status[name] ?? 0;
    if (partsOfAll.has(name) && count > replicas)
      out.push(field.invalid(`status.${name}`, count, "cannot be greater than status.replicas"));
  }
  if (availableReplicas > readyReplicas) {
    const readyName = kind === "StatefulSet" ? "status.readyReplicas" : "readyReplicas";
    out.push(field.invalid("status.availableReplicas", availableReplicas, `cannot be greater than ${readyName}`));
  }
  return out;
}

interface Collisions {
  readonly collisionCount?: number;
}

/** The count makes names unique: going back would use one twice. */
export function validateCollisionCount(out: Errors, next: Collisions | undefined, prev: Collisions | undefined): void {
  const count = next?.collisionCount;
  if (prev?.collisionCount !== undefined && (count === undefined || count < prev.collisionCount)) {
    out.push(field.invalid("status.collisionCount", count ?? 0, "cannot be decremented"));
  }
}
