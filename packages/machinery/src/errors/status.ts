/**
 * Errors are Statuses: thrown as StatusError, made by factories, asked by predicates, never matched on text.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */

import { type GroupResource, type ListMeta, qualifiedKind, qualifiedResource } from "../meta/meta.ts";
import { causeOf, type FieldError, formatFieldErrors } from "./field-error.ts";
import type { Status, StatusDetails } from "./status-object.ts";

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
export function failure(code: number, reason: string, message: string, details?: StatusDetails, metadata: ListMeta = {}): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata,
    status: "Failure",
    message,
    ...(reason === "" ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

export const badRequest = (message: string): StatusError => failure(400, "BadRequest", message);

export const unauthorized = (): StatusError => failure(401, "Unauthorized", "Unauthorized");

export const forbidden = (resource: GroupResource, name: string, why: string): StatusError =>
  failure(
    403,
    "Forbidden",
    name === "" ? `${qualifiedResource(resource)} is forbidden: ${why}` : `${qualifiedResource(resource)} "${name}" is forbidden: ${why}`,
    detailsOf(resource, name),
  );

export const notFound = (resource: GroupResource, name: string): StatusError =>
  failure(404, "NotFound", `${qualifiedResource(resource)} "${name}" not found`, detailsOf(resource, name));

/** For a path that names no resource at all. */
export const unknownPath = (): StatusError => failure(404, "NotFound", "the server could not find the requested resource", {});

export const methodNotAllowed = (): StatusError =>
  failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});

export const notAcceptable = (accepted: readonly string[]): StatusError =>
  failure(406, "NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`);

export const alreadyExists = (resource: GroupResource, name: string): StatusError =>
  failure(409, "AlreadyExists", `${qualifiedResource(resource)} "${name}" already exists`, detailsOf(resource, name));

export const conflict = (resource: GroupResource, name: string, why: string): StatusError =>
  failure(409, "Conflict", `Operation cannot be fulfilled on ${qualifiedResource(resource)} "${name}": ${why}`, detailsOf(resource, name));

/** The tail of the message when a write was based on an old resourceVersion. */
export const modifiedMessage = "the object has been modified; please apply your changes to the latest version and try again";

export const expired = (message: string, metadata: ListMeta = {}): StatusError => failure(410, "Expired", message, undefined, metadata);

export const tooLarge = (limitBytes: number): StatusError =>
  failure(413, "RequestEntityTooLarge", `Request entity too large: limit is ${limitBytes}`);

export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  failure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );

/** A small body can hold hundreds of thousands of mistakes; telling all would make an answer a hundred times its size. */
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

export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  failure(429, "TooManyRequests", message, { retryAfterSeconds });

export const internalError = (message: string): StatusError =>
  failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });

/** What Kubernetes answers when an error reaches the edge that nobody gave a reason: a bare 500. */
export const unexplained = (message: string): StatusError => failure(500, "", message);

export const serviceUnavailable = (message: string): StatusError => failure(503, "ServiceUnavailable", message);

export const timeout = (message: string, retryAfterSeconds = 0): StatusError =>
  failure(504, "Timeout", `Timeout: ${message}`, retryAfterSeconds > 0 ? { retryAfterSeconds } : {});

/** The list or watch asked for a version that the store has not reached. */
export const tooLargeResourceVersion = (asked: number, current: number): StatusError =>
  failure(504, "Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });

export const isBadRequest = (error: unknown): error is StatusError => means(error, "BadRequest");
export const isUnauthorized = (error: unknown): error is StatusError => means(error, "Unauthorized");
export const isForbidden = (error: unknown): error is StatusError => means(error, "Forbidden");
export const isNotFound = (error: unknown): error is StatusError => means(error, "NotFound");
export const isMethodNotSupported = (error: unknown): error is StatusError => means(error, "MethodNotAllowed");
export const isNotAcceptable = (error: unknown): error is StatusError => means(error, "NotAcceptable");
export const isAlreadyExists = (error: unknown): error is StatusError => means(error, "AlreadyExists");
export const isConflict = (error: unknown): error is StatusError => means(error, "Conflict");
export const isGone = (error: unknown): error is StatusError => means(error, "Gone");
/** The version asked for is no longer kept: whoever lists or watches must begin anew. */
export const isExpired = (error: unknown): error is StatusError => means(error, "Expired");
export const isTooLarge = (error: unknown): error is StatusError => means(error, "RequestEntityTooLarge") || hasCode(error, 413);
export const isUnsupportedMediaType = (error: unknown): error is StatusError => means(error, "UnsupportedMediaType");
export const isInvalid = (error: unknown): error is StatusError => means(error, "Invalid");
export const isTooManyRequests = (error: unknown): error is StatusError => means(error, "TooManyRequests") || hasCode(error, 429);
export const isInternalError = (error: unknown): error is StatusError => means(error, "InternalError");
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

/** The codes that decide where a server gives a reason that nobody knows, or none. */
const codeOf: Readonly<Record<string, number | undefined>> = {
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

export const detailsOf = (resource: GroupResource, name: string): StatusDetails => ({
  ...(name === "" ? {} : { name }),
  ...(resource.group === "" ? {} : { group: resource.group }),
  kind: resource.resource,
});
