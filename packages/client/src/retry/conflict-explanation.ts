/** What a server reports of a conflict, beyond that there is one. Servers other than coxswain report only field managers' conflicts. */
import { type ConflictReason, isConflict, messageOf } from "@coxswain/machinery";

/** One change that stood in the way of a write, as the server named it among the causes of its 409. */
export interface ConflictChange {
  readonly reason: ConflictReason | "FieldManagerConflict";
  /** As in `.spec.containers[name="web"].image`; absent where the whole object is meant. */
  readonly field?: string;
  /** For people: who, when, and what it means for this write. */
  readonly message: string;
}

/** What stood in the way of a write, most important first; empty when the server does not say, or the error is no conflict. */
export function conflictChanges(error: unknown): readonly ConflictChange[] {
  if (!isConflict(error)) return [];
  const causes = error.status.details?.causes ?? [];
  return causes.flatMap(({ reason, field, message = "" }) =>
    isConflictReason(reason) ? [{ reason, message, ...(field === undefined || field === "" ? {} : { field }) }] : [],
  );
}

/** The error's message and, a line each, what is known of the changes. Never which version to use: that would lose them. */
export function explainConflict(error: unknown): string {
  const message = messageOf(error);
  const changes = conflictChanges(error);
  // Kubernetes' own message of several field managers' conflicts names them already.
  if (changes.every(({ reason }) => reason === "FieldManagerConflict")) return message;
  return [message, ...changes.map(({ field, message: detail }) => `  ${field === undefined ? detail : `${field}: ${detail}`}`)].join("\n");
}

const reasons: Readonly<Record<ConflictChange["reason"], true>> = {
  OverlappingChange: true,
  OtherChange: true,
  StatusChange: true,
  OtherObject: true,
  UnknownVersion: true,
  HistoryCompacted: true,
  NotCompared: true,
  MoreChanges: true,
  FieldManagerConflict: true,
};

const isConflictReason = (reason: string | undefined): reason is ConflictChange["reason"] =>
  reason !== undefined && Object.hasOwn(reasons, reason);
