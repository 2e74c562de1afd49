/** Which answer of a server an error is. */
import { isAlreadyExists, isConflict, isForbidden, isInvalid, isNotFound, StatusError } from "@coxswain/machinery";
import { type Check, inspect } from "./check.ts";

const answers = {
  conflict: { is: isConflict, claim: "be a conflict (409 Conflict)" },
  notFound: { is: isNotFound, claim: "say that the object is not found (404 NotFound)" },
  alreadyExists: { is: isAlreadyExists, claim: "say that the object already exists (409 AlreadyExists)" },
  forbidden: { is: isForbidden, claim: "say that the request is forbidden (403 Forbidden)" },
  invalid: { is: isInvalid, claim: "say that the object is invalid (422 Invalid)" },
} as const;

export type Answer = keyof typeof answers;

export function checkAnswer(error: unknown, answer: Answer): Check {
  const { is, claim } = answers[answer];
  return { pass: is(error), subject: describeError(error), claim, found: "" };
}

/** `field`: one of those that are said to be invalid, as `spec.replicas`. */
export function checkInvalid(error: unknown, field?: string): Check {
  const check = checkAnswer(error, "invalid");
  if (field === undefined) return check;
  const fields = error instanceof StatusError ? (error.status.details?.causes ?? []).flatMap((cause) => cause.field ?? []) : [];
  const found = fields.length === 0 ? "" : `it names ${fields.join(", ")}`;
  return { ...check, pass: check.pass && fields.includes(field), claim: `${check.claim} at ${field}`, found };
}

function describeError(error: unknown): string {
  if (error instanceof StatusError) return `the error ${error.code} ${error.status.reason ?? ""} "${error.message}"`;
  if (error instanceof Error) return `the ${error.name} "${error.message}"`;
  return inspect(error);
}
