/** The wire form of a Status. @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/ */
import type { ListMeta } from "../meta/meta.ts";

/** One cause of a failure: the field and what is wrong with it. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** What a failure is about: the object, its causes, and after how many seconds to try again. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** The plural resource, but the Kind for Invalid and for failed preconditions. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/**
 * Kubernetes' answer to what failed, or to what succeeded without an object.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: ListMeta;
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}
