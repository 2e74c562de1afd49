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

const counts = [
  "observedGeneration",
  "replicas",
  "fullyLabeledReplicas",
  "updatedReplicas",
  "currentReplicas",
  "readyReplicas",
  "availableReplicas",
  "unavailableReplicas",
  "terminatingReplicas",
  "collisionCount",
] as const;
const partsOfAll = ["fullyLabeledReplicas", "updatedReplicas", "currentReplicas", "readyReplicas", "availableReplicas"] as const;

/** `readyName` is how the message calls the number of ready replicas. */
export function validateReplicaCounts(status: Readonly<ReplicaCounts> | undefined, readyName = "readyReplicas"): Errors {
  const out: Errors = [];
  if (!status) return out;
  for (const name of counts) nonNegative(out, `status.${name}`, status[name] ?? undefined);
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  for (const name of partsOfAll) {
    const count = status[name] ?? 0;
    if (count > replicas) out.push(field.invalid(`status.${name}`, count, "cannot be greater than status.replicas"));
  }
  if (availableReplicas > readyReplicas) {
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
