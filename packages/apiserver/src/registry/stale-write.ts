/** What is known of a write where it is refused for the version that it names; explained only in an answer to a client. */
import type { FieldFilter, ManagedFields } from "@coxswain/apply";
import type { KubeObject, StatusError } from "@coxswain/machinery";
import type { ServedResource } from "../contracts/served-resource.ts";

interface Refused {
  /** In whose version fields are compared. */
  readonly resource: ServedResource;
  /** The object that was there instead, in that version, with its resourceVersion. */
  readonly found: Readonly<KubeObject>;
}

/** The write names an old version of the object. */
export interface OldVersion extends Refused {
  readonly names: "version";
  /** As it was sent. */
  readonly readAt: string;
  /** What the write would do; a delete concerns the whole object. */
  readonly intended: IntendedChange | "delete";
}

/** `uid`: the write names another object. */
export type StaleWrite = OldVersion | (Refused & { readonly names: "uid" });

export interface IntendedChange {
  /** The object before and after the write, had there been no other write: `before` is what the writer had read, if that is known. */
  readonly compare: (read: Readonly<KubeObject>, managed: () => ManagedFields) => Comparands | Promise<Comparands>;
  /** The object that was found, before and after the write, had its version not been looked at; left out where that is not known. */
  readonly onCurrent?: Comparands;
  /** Which fields the write can change at all. */
  readonly filter?: FieldFilter | undefined;
}

export type Comparands = readonly [before: Readonly<KubeObject>, after: Readonly<KubeObject>];

/** The error itself, with what explains it. */
export function staleWrite(error: StatusError, write: StaleWrite): StatusError {
  error.cause = new Stale(write);
  return error;
}

export const staleWriteOf = ({ cause }: StatusError): StaleWrite | undefined => (cause instanceof Stale ? cause.write : undefined);

class Stale {
  readonly write: StaleWrite;
  constructor(write: StaleWrite) {
    this.write = write;
  }
}
