/** Which request an action is, made of what the actor has read: pure functions. */
import { isObject, type KubeObject } from "@coxswain/machinery";
import { type FieldPath, onlyValue, valueAt, withValue } from "./object-field.ts";

/** A request that the client is to make. */
export type PlannedRequest =
  | { readonly verb: "get" }
  | { readonly verb: "update"; readonly object: KubeObject; readonly subresource?: "status" }
  | { readonly verb: "patch"; readonly patch: object }
  | { readonly verb: "apply"; readonly object: KubeObject; readonly force: boolean };

/** What an actor wants to be so in the object. */
export type Change =
  | { readonly kind: "field"; readonly path: FieldPath; readonly value: unknown; readonly instead?: FieldPath }
  | { readonly kind: "condition"; readonly type: string };

export type Doing =
  | { readonly kind: "read" }
  | { readonly kind: "update"; readonly isVersioned: boolean }
  | { readonly kind: "patch"; readonly isVersioned: boolean }
  | { readonly kind: "retry" }
  /** `own` is the actor's value, `current` the one that the object has, `none` leaves the field out. */
  | { readonly kind: "apply"; readonly value: "own" | "current" | "none"; readonly force: boolean }
  /** Of a component: the request that waits. */
  | { readonly kind: "let through" }
  /** What a user does in the Pod's race. */
  | { readonly kind: "label" | "create urgent" | "replace" }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "stop" };

/** The requests of an action, one after another: each is made of the copy that the one before has left. */
export function kindsOf(doing: Doing): readonly Doing[] {
  return doing.kind === "retry" ? [{ kind: "read" }, { kind: "update", isVersioned: true }] : [doing];
}

/** Why an action cannot be done; undefined when it can. */
export function unavailable(doing: Doing, { hasCopy, isWaiting }: { readonly hasCopy: boolean; readonly isWaiting: boolean }) {
  switch (doing.kind) {
    case "update":
      return hasCopy ? undefined : "nothing has been read yet";
    case "patch":
      return hasCopy || !doing.isVersioned ? undefined : "nothing has been read yet";
    case "let through":
      return isWaiting ? undefined : "it sends nothing now";
    default:
      return undefined;
  }
}

interface Known {
  readonly change: Change;
  /** What the actor has read. */
  readonly copy: KubeObject | undefined;
  /** What the object is called, and which value it has now. */
  readonly current: KubeObject;
}

/** The request of an action of a client. @throws Error for actions that are none of a client's */
export function planRequest(doing: Doing, { change, copy, current }: Known): PlannedRequest {
  switch (doing.kind) {
    case "read":
      return { verb: "get" };
    case "update": {
      const wanted = changedBy(change, copy ?? current);
      const object = doing.isVersioned ? wanted : withoutVersion(wanted);
      return { verb: "update", object, ...(change.kind === "condition" ? { subresource: "status" as const } : {}) };
    }
    case "patch": {
      const { path, value } = targetOf(change, copy);
      const resourceVersion = doing.isVersioned ? copy?.metadata?.resourceVersion : undefined;
      const patch = onlyValue(path, value) as KubeObject;
      return { verb: "patch", patch: resourceVersion === undefined ? patch : merged(patch, { resourceVersion }) };
    }
    case "apply": {
      const { apiVersion, kind, metadata: { name } = {} } = current;
      const { path, value: own } = targetOf(change, undefined);
      const value = doing.value === "own" ? own : valueAt(current, path);
      const intended = (doing.value === "none" ? {} : onlyValue(path, value)) as KubeObject;
      const object = { apiVersion, kind, ...merged(intended, name === undefined ? {} : { name }) } as KubeObject;
      return { verb: "apply", object, force: doing.force };
    }
    default:
      throw new Error(`${doing.kind} is no request of a client`);
  }
}

/** The object as the actor wants it. */
export function changedBy(change: Change, object: KubeObject): KubeObject {
  if (change.kind === "field") {
    const { path, value } = targetOf(change, object);
    return withValue(object, path, value);
  }
  const conditions = valueAt(object, ["status", "conditions"]);
  const others = Array.isArray(conditions) ? conditions.filter((one: unknown) => !isObject(one) || one.type !== change.type) : [];
  return withValue(object, ["status", "conditions"], [...others, { type: change.type, status: "True" }]);
}

/** Who has read that another has the seat puts their name down elsewhere. */
function targetOf(change: Change, copy: KubeObject | undefined): { readonly path: FieldPath; readonly value: unknown } {
  if (change.kind === "condition") throw new Error("a condition is written with the whole status");
  const { path, value, instead } = change;
  const found = copy === undefined ? undefined : valueAt(copy, path);
  const isTaken = found !== undefined && found !== "" && found !== value;
  return { path: isTaken && instead !== undefined ? instead : path, value };
}

const merged = (object: KubeObject, metadata: object): KubeObject => ({ ...object, metadata: { ...object.metadata, ...metadata } });

function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}
