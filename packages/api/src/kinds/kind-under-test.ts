/** For the tests of kinds: a write as one kind sees it, from the client's body to its errors. */
import { before } from "node:test";
import { DecodeReport, decodeInto, field, type KubeObject } from "@coxswain/machinery";
import { loadDynamic } from "../dynamic/lazy-module.ts";
import { builtinTypes } from "../registry/registry.ts";
import type { Strategy } from "../strategy/strategy.ts";
import { validateReplacement } from "../validation/ratcheting.ts";

before(loadDynamic);

export interface Written<T> {
  readonly object: T;
  /** As in `spec.ports: Required value`. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** A new object; metadata's own rules are not run. */
export function createdAs<T extends KubeObject>(kind: Strategy<T>, body: object): Written<T> {
  const object = decoded(kind, body);
  const warnings: string[] = [];
  kind.prepareForCreate?.(object, undefined, (text) => warnings.push(text));
  const errors = [...(kind.validate?.(object) ?? []), ...(kind.validateCreate?.(object) ?? [])];
  return {
    object: frozen(object),
    problems: errors.map(field.formatFieldError),
    warnings: [...warnings, ...(kind.warnings?.(object, undefined) ?? [])],
  };
}

/** What a PUT of `body` makes of `prev`, whose status stays. */
export function updatedAs<T extends KubeObject>(kind: Strategy<T>, prev: T, body: object): Written<T> {
  const object = decoded(kind, body);
  if (prev.status !== undefined) Object.assign(object, { status: prev.status });
  kind.prepareForUpdate?.(object, prev);
  const errors = [...validateReplacement(kind, object, prev), ...(kind.validateUpdate?.(object, prev) ?? [])];
  return { object: frozen(object), problems: errors.map(field.formatFieldError), warnings: [...(kind.warnings?.(object, prev) ?? [])] };
}

/** What a write to /status makes of `prev`. */
export function statusUpdatedAs<T extends KubeObject>(kind: Strategy<T>, prev: T, status: object): Written<T> {
  const object = decoded(kind, { ...prev, status });
  kind.subresources?.status?.prepareForUpdate?.(object, prev);
  const errors = [...(kind.subresources?.status?.validateUpdate?.(object, prev) ?? [])];
  return { object: frozen(object), problems: errors.map(field.formatFieldError), warnings: [] };
}

function decoded<T extends KubeObject>(kind: Strategy<T>, body: object): T {
  const object: T = JSON.parse(JSON.stringify(body));
  const type = builtinTypes.get(kind.type);
  if (type === undefined) throw new Error(`no type is ${kind.type}`);
  decodeInto(type, object, new DecodeReport());
  kind.defaults?.(object);
  return object;
}

/** Stored objects are shared and frozen: a change by mistake throws. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    for (const part of Object.values(value)) frozen(part);
    Object.freeze(value);
  }
  return value;
}
