/**
 * What data cannot say about a kind: defaults, rules, what its writes may change, the columns of its Table. The members are
 * called as those of the strategies in Kubernetes, k8s.io/apiserver/pkg/registry/rest, where they mean the same.
 */
import type { FieldError, KubeObject, ObjectMeta } from "@coxswain/machinery";
import type { TableColumns } from "../table/columns.ts";

/** How the names of a kind's objects are checked. */
export type NameRule = "dns1123Subdomain" | "dns1123Label" | "dns1035Label" | "pathSegment";

/** Who makes an object, for kinds that note it. */
export interface Requester {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The fields, as paths, that a write leaves as they are: its writer does not come to manage them. */
export type ResetFields = readonly (readonly string[])[];

/** A check of the metadata of an object that replaces another: of what may not change, or of the whole as if it were new. */
export type MetadataPass = "changes" | "whole";

/** The rules by which the objects of a kind are defaulted, prepared and validated before they are stored. */
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
   * Kubernetes checks the metadata of each object once on its way in; each kind's own rules check it again, and each time
   * repeats its errors. Default: the changes.
   */
  readonly metadataPasses?: readonly MetadataPass[];
  /** Of a write to the main resource, beside `status`, which is left as it is where `keepsStatus`. */
  readonly resetFields?: ResetFields;
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
  /**
   * Rules for a new object; also run on `next` of every update, then with the object before. Rules that old objects may
   * go on breaking are marked (validation/ratcheting.ts). Metadata is checked elsewhere.
   */
  validate?(obj: Readonly<T>, prev?: Readonly<T>): Iterable<FieldError>;
  /** Rules for a new object only, beside `validate`. */
  validateCreate?(obj: Readonly<T>): Iterable<FieldError>;
  /** Rules between the old and the new object, beside `validate(next)`. `warn` is called with what is wrong but tolerated. */
  validateUpdate?(next: Readonly<T>, prev: Readonly<T>, warn?: (text: string) => void): Iterable<FieldError>;
  /** Texts for the Warning header: Kubernetes' WarningsOnCreate, where `prev` is undefined, and WarningsOnUpdate. */
  warnings?(next: Readonly<T>, prev: Readonly<T> | undefined): Iterable<string>;
  /**
   * Whether an update counts as a change of the desired state. Default: spec differs, for kinds that have a spec and
   * whose generation Kubernetes counts. "never" for kinds without generation.
   */
  generation?: "never" | Comparison<T>["changed"];

  /** The rules of writes through the kind's subresources, by the name of the subresource. */
  readonly subresources?: Subresources<T>;

  /** Field selectors beyond metadata.name and metadata.namespace, with their values. Names must be the same for every object. */
  selectableFields?(obj: Readonly<T>): Readonly<Record<string, string>>;
  /** What answers of metadata alone show of it, where a version's form adds to it. Default: all. */
  ownMetadata?(metadata: ObjectMeta | undefined): ObjectMeta;
  /** The columns of its Table. Default: name and creation time. */
  readonly columns?: TableColumns<T>;
  /** The order of rows in the Table of a list. Default: that of the list. */
  compareRows?(one: Readonly<T>, other: Readonly<T>): number;
}

/** What of a strategy says what is wrong, for kinds with a validation.ts of its own. */
export type Validation<T extends KubeObject> = Pick<Strategy<T>, "validate" | "validateCreate" | "validateUpdate">;

/**
 * Strategies by subresource. Those of `status` follow the main resource's; any other subresource that stands here, and among
 * the facts of the resource, is written like a part of the object.
 */
export type Subresources<T extends KubeObject> = Readonly<Record<string, SubresourceStrategy<T>>> & {
  readonly status?: SubresourceStrategy<T>;
};

/** The rules of writes through one subresource. */
export interface SubresourceStrategy<T extends KubeObject = KubeObject> {
  /**
   * Fields that a write leaves as they are, beside `spec` in a write to `status`. A kind that names `metadata` for its status
   * has its metadata kept in writes of it.
   */
  readonly resetFields?: ResetFields;
  /** Of `status` alone; writes through other subresources have those of the main resource. Default: the changes. */
  readonly metadataPasses?: readonly MetadataPass[];
  /**
   * Restores what the write may not change; in a write to `status` all but status and metadata is restored before. `now` is
   * the time of the write, RFC 3339. In place.
   */
  prepareForUpdate?(next: T, prev: Readonly<T>, now?: string): void;
  /** What is wrong with the prepared object; metadata is checked elsewhere. `warn` is called with what is wrong but tolerated. */
  validateUpdate?(next: Readonly<T>, prev: Readonly<T>, warn?: (text: string) => void): Iterable<FieldError>;
}

/** A method, like the hooks above, so that one list can hold the strategies of all kinds. */
interface Comparison<T> {
  changed(next: Readonly<T>, prev: Readonly<T>): boolean;
}

/** A kind's strategy, as kinds/index.ts lists it; gives a kind's file its type inference. */
export const defineKind = <T extends KubeObject>(strategy: Strategy<T>): Strategy<T> => strategy;
