/** Invariants: what is to hold of every state, and what is found where it does not. */
import type { GroupVersionResource, KubeObject, ObjectName, ObservedRead } from "@coxswain/machinery";
import type { Exchange } from "./exchange.ts";

/** What is to hold of every state. */
export interface Invariant {
  readonly name: string;
  /** Looks at the whole state that checking begins with, where no change is known. */
  examine(state: StateAt): Promise<readonly Finding[]>;
  /** What one change says about it. Nothing for changes that cannot matter. */
  evaluate(change: ObservedChange, state: StateAt): Promise<readonly Finding[]>;
}

/** Whether an invariant holds of one of the things that it is about. */
export interface Finding {
  /** Of one invariant, what it is about: an object's key, a namespace, or empty for all. */
  readonly subject: string;
  /** What is wrong; undefined where it holds. */
  readonly problem: string | undefined;
  /** It could not be found out. */
  readonly isFailure?: true;
  /** The object that is wrong, where no change is known. */
  readonly object?: ObjectName | undefined;
  /** Of what is about many objects: what was looked at. */
  readonly related?: readonly RelatedObjects[];
  /** The same, so that those can be found which break it together. */
  readonly parts?: FindingParts;
}

/** The objects that one evaluation of an invariant of many was about. */
export interface FindingParts {
  readonly objects: readonly ObjectName[];
  /** Whether it would hold if these were not there; an evaluation that fails counts as if it did. */
  holdsWithout(objects: ReadonlySet<ObjectName>): Promise<boolean>;
}

/** All objects of a resource, in a namespace or in all. */
export interface RelatedObjects extends GroupVersionResource {
  readonly namespace?: string;
}

/** A resource as its objects are named. */
export interface NamedResource extends GroupVersionResource {
  readonly kind: string;
  readonly namespaced: boolean;
}

/** One change of one object. */
export interface ObservedChange {
  readonly revision: number;
  readonly object: ObjectName;
  /** As it is since, in a version of its resource; undefined where it was deleted. Shared: nobody may change it. */
  after(version: string): Promise<Readonly<KubeObject> | undefined>;
  /** As it was before; undefined where there was none. */
  before(version: string): Promise<Readonly<KubeObject> | undefined>;
}

/** All objects as they were at one revision. */
export interface StateAt {
  readonly revision: number;
  /** All that are served, each at its preferred version. */
  readonly resources: readonly NamedResource[];
  /** Those of a namespace, or all; none of what is not served. Shared: nobody may change them. */
  list(resource: GroupVersionResource, namespace?: string): Promise<readonly ListedObject[]>;
}

/** An object with its name. */
export interface ListedObject {
  readonly name: ObjectName;
  readonly object: Readonly<KubeObject>;
}

/** Where reads are remembered, once somebody watches invariants. */
export interface ObservedReads {
  isOn: boolean;
  readonly log: ReadObserver;
}

/** Remembers who has read what. */
export interface ReadObserver {
  /** @param newest the store's, when the answer was made */
  add(exchange: ObservedExchange, newest: number): void;
  /** What a writer had read before a revision, oldest first. */
  of(user: string, userAgent: string, before: number): readonly Read[];
}

/** What of a request says what was read, and by whom. */
export type ObservedExchange = Pick<Exchange, "info" | "request" | "query" | "user" | "history">;

/** A read with what it was of. */
export interface Read extends ObservedRead {
  readonly group: string;
  /** Nothing later was in the answer. */
  readonly revision: number;
}

/** An invariant of a file, with a text that is another when it was changed. */
export interface LoadedInvariant {
  readonly invariant: Invariant;
  readonly definition: string;
}
