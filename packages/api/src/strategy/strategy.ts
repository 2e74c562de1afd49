/**
 * What data cannot say about a kind: defaults, rules, what its writes may change, its Table cells.
 * One file for each kind under kinds/<group>/, one object for each file.
 */
import type { FieldError, KubeObject, ObjectMeta } from "@coxswain/machinery";
import type { TableColumns } from "../table/columns.ts";

export type NameRule = "dns1123Subdomain" | "dns1123Label" | "dns1035Label" | "pathSegment";

/** Who makes an object, for kinds that note it. */
export interface Requester {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface Strategy<T extends KubeObject = KubeObject> {
  /** The OpenAPI name of the type whose objects these are. */
  readonly type: string;
  /** How names are checked; `pathSegment` allows anything but `.`, `..`, `/` and `%`. Default dns1123Subdomain. */
  readonly name?: NameRule;
  /** "any" for kinds whose finalizers need no domain, custom resources among them. */
  readonly finalizers?: "any";
  /** Whether a PUT without a resourceVersion is allowed. Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** Whether a PUT of an absent name creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean;
  /** Whether DELETE answers with the object when it is gone at once. Default false: with a Status. */
  readonly returnDeletedObject?: boolean;
  /** Kinds whose objects the garbage collector never touches (no finalizers of its own). Default true. */
  readonly garbageCollected?: boolean;
  /** Whether a write to the main resource leaves status as it was. Default true; false for kinds whose status anyone may write there. */
  readonly keepsStatus?: boolean;
  /**
   * Fields that a write to a subresource, or to "main", leaves as they are, beside `status` and `spec` themselves: its writer
   * does not come to manage them. A kind that names `metadata` for "status" has its metadata kept in writes of it.
   */
  readonly resetFields?: Readonly<Partial<Record<"main" | "status" | "approval", readonly (readonly string[])[]>>>;
  /** Whether a deleting object without finalizers in its metadata may go; for kinds that hold more, like a Namespace's spec.finalizers. */
  mayBeRemoved?(obj: Readonly<T>): boolean;
  /** How long a delete leaves the object to whoever runs it; `asked` is what the client wants. Default 0: at once. Seconds. */
  checkGracefulDelete?(obj: Readonly<T>, asked: number | undefined): number;
  /** Notes in an object that its deletion has begun: a Namespace's phase. `prev` is as it was before. In place. */
  markDeleting?(obj: T, prev: Readonly<T>): void;
  /** What happens to dependents when DELETE does not say. Default "Background". */
  readonly defaultGarbageCollectionPolicy?: "Background" | "Orphan";
  /** What whoever deletes is warned of when DELETE does not say that. */
  readonly garbageCollectionWarning?: string;

  /**
   * Fills in what Kubernetes fills in when it decodes an object of this kind. The object was made for this request;
   * it is changed in place. Runs on create, update, patch results and status writes alike, before anything else.
   */
  defaults?(obj: T): void;
  /** Whether defaults follow from what `prepareForCreate` sets: they then run again on what is stored, as when Kubernetes reads it. Default false. */
  readonly defaultsOfPrepared?: boolean;
  /** Create only, before validation: resets status and sets what only the server may set. In place. `warn` adds to the Warning headers. */
  prepareForCreate?(obj: T, by?: Requester, warn?: (text: string) => void): void;
  /** Create only, after validation: what is filled in without being checked. In place. */
  canonicalize?(obj: T): void;
  /** A write to the main resource: restores what it may not change (status is restored for every kind that has a status subresource). `now` is the time of the write, RFC 3339. In place. */
  prepareForUpdate?(next: T, prev: Readonly<T>, now?: string): void;
  /** A write to /status: spec and other fields are already restored from `prev`. `now` is the time of the write, RFC 3339. In place. */
  prepareForStatusUpdate?(next: T, prev: Readonly<T>, now?: string): void;
  /**
   * Rules for a new object; also run on `next` of every update, then with the object before. Rules that old objects may
   * go on breaking are marked (meta/tolerance.ts). Metadata is checked elsewhere.
   */
  validate?(obj: Readonly<T>, prev?: Readonly<T>): Iterable<FieldError>;
  /** Rules for a new object only, beside `validate`. */
  validateCreate?(obj: Readonly<T>): Iterable<FieldError>;
  /** Rules between the old and the new object, beside `validate(next)`. `warn` is told what is wrong but tolerated. */
  validateUpdate?(next: Readonly<T>, prev: Readonly<T>, warn?: (text: string) => void): Iterable<FieldError>;
  validateStatusUpdate?(next: Readonly<T>, prev: Readonly<T>, warn?: (text: string) => void): Iterable<FieldError>;
  /** Texts for the Warning header on create (`prev` undefined) and update. */
  warnings?(next: Readonly<T>, prev: Readonly<T> | undefined): Iterable<string>;
  /**
   * Whether an update counts as a change of the desired state. Default: spec differs, for kinds that have a spec and
   * whose generation Kubernetes counts. "never" for kinds without generation.
   */
  generation?: "never" | Comparison<T>["changed"];

  /** Field selectors beyond metadata.name and metadata.namespace, with their values. Names must be the same for every object. */
  selectableFields?(obj: Readonly<T>): Readonly<Record<string, string>>;
  /** What answers of metadata alone show of it, where a version's form adds to it. Default: all. */
  ownMetadata?(metadata: ObjectMeta | undefined): ObjectMeta;
  /** The columns of its Table. Default: name and creation time. */
  readonly columns?: TableColumns<T>;
  /** The order of rows in the Table of a list. Default: that of the list. */
  compareRows?(one: Readonly<T>, other: Readonly<T>): number;
}

/** A method, like the hooks above, so that one list can hold the strategies of all kinds. */
interface Comparison<T> {
  changed(next: Readonly<T>, prev: Readonly<T>): boolean;
}

/** Gives a kind's file its one line of type inference; the result is what the registry holds. */
export const defineKind = <T extends KubeObject>(strategy: Strategy<T>): Strategy<T> => strategy;
