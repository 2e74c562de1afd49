import type { KubeObject } from "@coxswain/machinery";
import type { Cancellable } from "../transport/cancellable.ts";

/** What a watch selects, where it begins, and who is notified of its connections. */
export interface WatchOptions extends Cancellable {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Go on after this version; without one, or when it is gone, the watch begins with LISTED. */
  readonly resourceVersion?: string;
  /** Objects come with nothing but their metadata, as `PartialObjectMetadata`; a server that cannot do that sends them whole. */
  readonly metadataOnly?: boolean;
  /** Called at every interruption before the watch waits and goes on; for logs and metrics. */
  readonly onInterrupted?: (interruption: WatchInterruption) => void;
  /** Called whenever the server has accepted the watch after the last event. */
  readonly onConnected?: () => void;
}

/** Why a watch is interrupted, and how long it waits before it goes on. */
export interface WatchInterruption {
  readonly error: unknown;
  /** How long it waits before the next attempt. */
  readonly afterMs: number;
}

/**
 * `LISTED` is the whole state at one version: at the beginning, and again whenever the server no longer has the history
 * since the last event (410 Gone). What is missing in it was deleted unseen.
 */
export type WatchEvent<T extends KubeObject> =
  | { readonly type: "LISTED"; readonly items: readonly T[]; readonly resourceVersion: string }
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  /** Nothing newer than this version has been missed. */
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string };
