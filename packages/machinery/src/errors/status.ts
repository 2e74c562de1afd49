/**
 * Errors are Statuses: thrown as StatusError, made by factories, asked by predicates, never matched on text.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */

import { type GroupResource, type ListMeta, qualifiedKind, qualifiedResource } from "../meta/meta.ts";
import { causeOf, type FieldError, formatFieldErrors } from "./field-error.ts";
import type { Status, StatusDetails } from "./status-object.ts";

/** An error that carries the Status to answer with. `code` is its HTTP status. */
export class StatusError extends Error {
  readonly status: Status;
  constructor(status: Status) {
    super(status.message ?? status.reason ?? "failed");
    this.name = "StatusError";
    this.status = status;
  }
  get code(): number {
    return this.status.code ?? 500;
  }
}

/** An error of any shape; the named factories below are what callers should want. */
export function failure(code: number, reason: string, message: string, details?: StatusDetails): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason === "" ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

/** Returns a 400 BadRequest with this message. */
export const badRequest = (message: string): StatusError => failure(400, "BadRequest", message);

/** Returns the 401 for credentials that are missing or not accepted. */
export const unauthorized = (): StatusError => failure(401, "Unauthorized", "Unauthorized");

/** Returns a 403 Forbidden about an object, or about its collection when the name is empty. */
export const forbidden = (resource: GroupResource, name: string, why: string): StatusError =>
  failure(
    403,
    "Forbidden",
    name === "" ? `${qualifiedResource(resource)} is forbidden: ${why}` : `${qualifiedResource(resource)} "${name}" is forbidden: ${why}`,
    detailsOf(resource, name),
  );

/** Returns the 404 for an object that is not there. */
export const notFound = (resource: GroupResource, name: string): StatusError =>
  failure(404, "NotFound", `${qualifiedResource(resource)} "${name}" not found`, detailsOf(resource, name));

/** For a path that names no resource at all. */
export const unknownPath = (): StatusError => failure(404, "NotFound", "the server could not find the requested resource", {});

/** Returns the 405 for a verb that a resource does not have. */
export const methodNotAllowed = (): StatusError =>
  failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});

/** Returns the 406 for an Accept header of which the server speaks nothing; `accepted` are the media types that it speaks. */
export const notAcceptable = (accepted: readonly string[]): StatusError =>
  failure(406, "NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`);

/** Returns the 409 for a new object whose name is taken. */
export const alreadyExists = (resource: GroupResource, name: string): StatusError =>
  failure(409, "AlreadyExists", `${qualifiedResource(resource)} "${name}" already exists`, detailsOf(resource, name));

/** Returns the 409 for a write that is based on an old version, or whose precondition does not hold. */
export const conflict = (resource: GroupResource, name: string, why: string): StatusError =>
  failure(409, "Conflict", `Operation cannot be fulfilled on ${qualifiedResource(resource)} "${name}": ${why}`, detailsOf(resource, name));

/** The tail of the message when a write was based on an old resourceVersion. */
export const modifiedMessage = "the object has been modified; please apply your changes to the latest version and try again";

/** Returns the 410 for a version that is no longer kept; `metadata` may say where a list can go on all the same. */
export const expired = (message: string, metadata: ListMeta = {}): StatusError =>
  new StatusError({ kind: "Status", apiVersion: "v1", metadata, status: "Failure", message, reason: "Expired", code: 410 });

/** Returns the 413 for a body over the limit. */
export const tooLarge = (limitBytes: number): StatusError =>
  failure(413, "RequestEntityTooLarge", `Request entity too large: limit is ${limitBytes}`);

/** Returns the 415 for a body of a media type that is not among those accepted. */
export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  failure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );

/** A small body can hold hundreds of thousands of mistakes; reporting all would make an answer a hundred times its size. */
const maxErrors = 1_000;

/** The message names each error once; the causes repeat what several rules found, as Kubernetes' do. */
export function invalid(kind: { readonly group: string; readonly kind: string }, name: string, errors: readonly FieldError[]): StatusError {
  const reported = errors.slice(0, maxErrors);
  return failure(422, "Invalid", `${qualifiedKind(kind)} "${name}" is invalid: ${formatFieldErrors(reported)}`, {
    ...(name === "" ? {} : { name }),
    ...(kind.group === "" ? {} : { group: kind.group }),
    ...(kind.kind === "" ? {} : { kind: kind.kind }),
    causes: reported.map(causeOf),
  });
}

/** Returns a 429 that asks to try again after so many seconds. */
export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  failure(429, "TooManyRequests", message, { retryAfterSeconds });

/** Returns a 500 whose message and only cause have this text. */
export const internalError = (message: string): StatusError =>
  failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });

/** What Kubernetes answers when an error without a reason reaches the edge: a bare 500. */
export const unexplained = (message: string): StatusError => failure(500, "", message);

/** Returns a 503 with this message. */
export const serviceUnavailable = (message: string): StatusError => failure(503, "ServiceUnavailable", message);

/** Returns a 504 for what took too long; the write it answers may still take effect. */
export const timeout = (message: string, retryAfterSeconds = 0): StatusError =>
  failure(504, "Timeout", `Timeout: ${message}`, retryAfterSeconds > 0 ? { retryAfterSeconds } : {});

/** The list or watch asked for a version that the store has not reached. */
export const tooLargeResourceVersion = (asked: number, current: number): StatusError =>
  failure(504, "Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });

/** Whether an error is a Status with reason BadRequest. */
export const isBadRequest = (error: unknown): error is StatusError => means(error, "BadRequest");
/** Whether an error is a Status with reason Unauthorized. */
export const isUnauthorized = (error: unknown): error is StatusError => means(error, "Unauthorized");
/** Whether an error is a Status with reason Forbidden. */
export const isForbidden = (error: unknown): error is StatusError => means(error, "Forbidden");
/** Whether an error is a Status with reason NotFound, of an object or of a path. */
export const isNotFound = (error: unknown): error is StatusError => means(error, "NotFound");
/** Whether an error is a Status with reason MethodNotAllowed. */
export const isMethodNotSupported = (error: unknown): error is StatusError => means(error, "MethodNotAllowed");
/** Whether an error is a Status with reason NotAcceptable. */
export const isNotAcceptable = (error: unknown): error is StatusError => means(error, "NotAcceptable");
/** Whether an error is a Status with reason AlreadyExists. */
export const isAlreadyExists = (error: unknown): error is StatusError => means(error, "AlreadyExists");
/** Whether an error is a Status with reason Conflict: read the object again and retry the write. */
export const isConflict = (error: unknown): error is StatusError => means(error, "Conflict");
/** Whether an error is a Status with reason Gone. */
export const isGone = (error: unknown): error is StatusError => means(error, "Gone");
/** The version asked for is no longer kept: a list or watch must restart. */
export const isExpired = (error: unknown): error is StatusError => means(error, "Expired");
/** Whether an error is a Status with reason RequestEntityTooLarge, or any with code 413. */
export const isTooLarge = (error: unknown): error is StatusError => means(error, "RequestEntityTooLarge") || hasCode(error, 413);
/** Whether an error is a Status with reason UnsupportedMediaType. */
export const isUnsupportedMediaType = (error: unknown): error is StatusError => means(error, "UnsupportedMediaType");
/** Whether an error is a Status with reason Invalid: validation has refused the object. */
export const isInvalid = (error: unknown): error is StatusError => means(error, "Invalid");
/** Whether an error is a Status with reason TooManyRequests, or any with code 429. */
export const isTooManyRequests = (error: unknown): error is StatusError => means(error, "TooManyRequests") || hasCode(error, 429);
/** Whether an error is a Status with reason InternalError. */
export const isInternalError = (error: unknown): error is StatusError => means(error, "InternalError");
/** Whether an error is a Status with reason ServiceUnavailable. */
export const isServiceUnavailable = (error: unknown): error is StatusError => means(error, "ServiceUnavailable");
/** No answer within the time for it; the request may still take effect. */
export const isTimeout = (error: unknown): error is StatusError => means(error, "Timeout");
/** The server could not do it now, and did nothing. */
export const isServerTimeout = (error: unknown): error is StatusError => means(error, "ServerTimeout");
/** An answer that was not Kubernetes' own: a proxy's page, for instance. */
export const isUnexpectedServerError = (error: unknown): error is StatusError => hasCause(error, "UnexpectedServerResponse");
/** Asked of a namespace that is being deleted, if of that one. */
export const isNamespaceTerminating = (error: unknown): error is StatusError => hasCause(error, "NamespaceTerminating");
/** The version asked for is newer than any that the server knows. */
export const isTooLargeResourceVersion = (error: unknown): error is StatusError =>
  isTimeout(error) && hasCause(error, "ResourceVersionTooLarge");

/** The codes that decide where a server gives an unknown reason, or none. */
const codeOf: Readonly<Record<string, number | undefined>> = {
  __proto__: null as never,
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  Conflict: 409,
  Gone: 410,
  UnsupportedMediaType: 415,
  Invalid: 422,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
  // Their codes have other reasons too, or are asked for beside them.
  AlreadyExists: undefined,
  Expired: undefined,
  RequestEntityTooLarge: undefined,
  ServerTimeout: undefined,
  StoreReadError: undefined,
  TooManyRequests: undefined,
};

function means(error: unknown, reason: string): boolean {
  if (!(error instanceof StatusError)) return false;
  const stated = error.status.reason ?? "";
  return stated === reason || (!Object.hasOwn(codeOf, stated) && codeOf[reason] === error.status.code && error.status.code !== undefined);
}

const hasCode = (error: unknown, code: number): boolean => error instanceof StatusError && error.status.code === code;

const hasCause = (error: unknown, reason: string): boolean =>
  error instanceof StatusError && error.status.details?.causes?.some((cause) => cause.reason === reason) === true;

/** Returns the details that name an object, for a Status. */
export const detailsOf = (resource: GroupResource, name: string): StatusDetails => ({
  ...(name === "" ? {} : { name }),
  ...(resource.group === "" ? {} : { group: resource.group }),
  kind: resource.resource,
});
