/** What `/coxswain/v1/moment`, `/coxswain/v1/history`, `/coxswain/v1/timeline` and `/coxswain/v1/blame` answer. */

import type { KubeObject } from "./meta.ts";

/** A field that a write has changed. */
export interface FieldEdit {
  readonly kind: "added" | "changed" | "removed";
  /** `.spec.containers[name="web"].image` */
  readonly field: string;
  /** What it was, and what it is since: left out where there is nothing, or where it is long. */
  readonly from?: unknown;
  readonly to?: unknown;
}

/** Who wrote a version, as far as that is known. */
export interface VersionWriter {
  readonly resourceVersion: string;
  /** RFC 3339. */
  readonly time?: string;
  readonly operation: "create" | "update" | "delete";
  /** As the request has it: create, update, patch, apply, delete, deletecollection; with a subresource behind a slash. */
  readonly verb?: string;
  readonly user?: string;
  readonly manager?: string;
  readonly userAgent?: string;
  readonly requestID?: string;
  /** The resourceVersion that the write was based on: that which an update names; a patch or an apply was made on the newest by the server. */
  readonly readResourceVersion?: string;
}

/** One version of an object, and what the write changed: left out for the first that is known, and for creations and deletions. */
export interface ObjectVersion extends VersionWriter {
  readonly changes?: readonly FieldEdit[];
}

/** A state that a server had. */
export interface PastState {
  readonly resourceVersion: string;
  /** When it came about, where that is known. RFC 3339. */
  readonly time?: string;
}

/** Which state a moment is, and how far back the server can say that. */
export interface PastMoment extends PastState {
  readonly kind: "Moment";
  readonly apiVersion: "coxswain/v1";
  readonly oldest: PastState;
}

/** The versions of one object, newest first. */
export interface ObjectHistoryReport {
  readonly kind: "ObjectHistory";
  readonly apiVersion: "coxswain/v1";
  /** `continue`: there are older ones, which the same request with it as `at` shows. */
  readonly metadata: { readonly continue?: string | undefined };
  /** How far back it goes. */
  readonly oldest: PastState;
  readonly items: readonly ObjectVersion[];
}

/** A field without fields of its own, with who wrote it last. */
export interface FieldBlame extends VersionWriter {
  readonly field: string;
  readonly value?: unknown;
  /** It was there in the oldest version that is known: it may have been written before that. */
  readonly orEarlier?: true;
}

/** Who wrote each field of an object last. */
export interface ObjectBlame {
  readonly kind: "ObjectBlame";
  readonly apiVersion: "coxswain/v1";
  /** Of the object as it is described. */
  readonly resourceVersion: string;
  readonly fields: readonly FieldBlame[];
}

/** An object in a timeline. */
export interface TimelineObject {
  readonly group: string;
  /** The version of its group that the server prefers. */
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  /** The uid of the object that controls it. */
  readonly owner?: string;
}

/** Who writes, as far as that is known: empty where it is not. */
export interface TimelineWriter {
  readonly user: string;
  readonly manager: string;
  readonly userAgent: string;
  readonly verb: string;
}

/** A part of what happened to all objects. */
export interface TimelinePage {
  readonly kind: "Timeline";
  readonly apiVersion: "coxswain/v1";
  /** `resourceVersion`: the server's newest. `continue`: what the next page is asked with, as `upTo`, or as `after` where that was asked. */
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  /** How far back it goes; `time` in milliseconds since the epoch. */
  readonly oldest?: { readonly resourceVersion: string; readonly time?: number };
  readonly objects: readonly TimelineObject[];
  readonly writers: readonly TimelineWriter[];
  /**
   * Of each change: resourceVersion, milliseconds since the epoch, the places of object and writer in their tables, 0 for a creation, 1 for an update
   * and 2 for a deletion, and the resourceVersion that the write was based on, or 0.
   */
  readonly changes: readonly (readonly number[])[];
  /** Of each change the object as it was then, where that was asked for. */
  readonly versions?: readonly TimelineVersion[];
}

/** What a change made of its object. */
export interface TimelineVersion {
  /** Absent after a deletion. */
  readonly object?: KubeObject;
  readonly requestID?: string;
}
