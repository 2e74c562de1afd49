import { field } from "@coxswain/machinery";
import type { PriorityClass } from "@coxswain/types/scheduling-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { type Errors, immutable, oneOf } from "../../../validation/checks.ts";
import { priorityClassColumns } from "./columns.ts";

const maxUserValue = 1_000_000_000;
const systemPrefix = "system-";
/** The classes that every cluster has, with their values. */
export const systemPriorities: Readonly<Record<string, number>> = {
  __proto__: null as never,
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/ */
export const priorityClass = defineKind<PriorityClass>({
  type: "io.k8s.api.scheduling.v1.PriorityClass",
  /** Always 1: nothing that counts may change. */
  generation: () => false,
  defaults(obj) {
    obj.preemptionPolicy ??= "PreemptLowerPriority";
  },
  /** An update may leave, and even make, wrong what does not count any more. */
  validateCreate: (obj) => {
    const out: Errors = [];
    const { value = 0, preemptionPolicy } = obj;
    const problem = obj.metadata?.name?.startsWith(systemPrefix) ? systemProblem(obj) : undefined;
    if (problem !== undefined) {
      const why = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`;
      out.push(field.forbidden("metadata.name", why));
    } else if (value > maxUserValue && !obj.metadata?.name?.startsWith(systemPrefix)) {
      out.push(field.forbidden("value", `maximum allowed value of a user defined priority is ${maxUserValue}`));
    }
    if (preemptionPolicy === "") out.push(field.required("preemptionPolicy"));
    else oneOf(out, "preemptionPolicy", preemptionPolicy, ["PreemptLowerPriority", "Never"]);
    return out;
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    if ((next.value ?? 0) !== (prev.value ?? 0)) out.push(field.forbidden("value", "may not be changed in an update."));
    immutable(out, "preemptionPolicy", next.preemptionPolicy, prev.preemptionPolicy);
    return out;
  },
  columns: priorityClassColumns,
});

function systemProblem({ metadata, value = 0, globalDefault = false }: Readonly<PriorityClass>): string | undefined {
  const name = metadata?.name ?? "";
  const expected = Object.hasOwn(systemPriorities, name) ? systemPriorities[name] : undefined;
  if (expected === undefined) return `${name} is not a known system priority class`;
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
