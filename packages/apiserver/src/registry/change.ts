import type { ManagedFields } from "@coxswain/apply";
import type { FieldError, KubeObject } from "@coxswain/machinery";
import type { Replacement } from "@coxswain/store";
import type { Outcome } from "./outcome.ts";

/** What an update does to an object. */
export interface Change {
  /**
   * Makes the wanted object from the current one. Called again when another writer came between, so it must start afresh;
   * the result is changed in place, the argument never.
   */
  readonly next: (current: Readonly<KubeObject>, managed: ManagedFields) => KubeObject | Promise<KubeObject>;
  /** Who manages the fields of what `next` made last; without it, its writer what it changed. */
  readonly managed?: (before: ManagedFields) => ManagedFields;
  /**
   * `main` and `status` follow the kind's strategy; `limited` is a part of the main resource that its caller has kept within
   * its limits; `free` writes what `next` made, for subresources with rules of their own.
   */
  readonly part: "main" | "status" | "limited" | "free";
  /** The rules of a `limited` part. */
  readonly validate?: (next: Readonly<KubeObject>, current: Readonly<KubeObject>) => Iterable<FieldError>;
  readonly dryRun: boolean;
  /** What admission gets to see where that is not the object itself: "nothing" when it was asked before. */
  readonly admitted?: "nothing" | AdmittedPart;
  /**
   * What changes together with the object instead of quotas; asked again when that has changed. Throws when the object must not be stored
   * any more.
   */
  readonly also?: (() => readonly Replacement[]) | undefined;
  /** What to do when the object is absent; without it, 404. */
  readonly whenAbsent?: () => Promise<Outcome>;
}

/** An object through which another is written, such as a Scale. */
export interface AdmittedPart {
  /** What the client wants of it, and what it was, as they were worked out last: what mutating plugins see. */
  sent(): { readonly object: KubeObject; readonly previous: KubeObject };
  of(object: Readonly<KubeObject>): KubeObject;
  /** The object with the part that admission has made of its own. */
  merged(object: Readonly<KubeObject>, part: KubeObject): KubeObject;
}
