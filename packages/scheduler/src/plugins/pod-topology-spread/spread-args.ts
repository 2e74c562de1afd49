/** PodTopologySpreadArgs of kubescheduler.config.k8s.io/v1. */
import type { coreV1 } from "@coxswain/api";
import { field, validateQualifiedName } from "@coxswain/machinery";
import { type Args, isRecord, listAt, refuseAny } from "../plugin-args.ts";

type Constraint = coreV1.TopologySpreadConstraint;

export interface SpreadArgs {
  /** For Pods with no constraints of their own. */
  readonly defaults: readonly Constraint[];
  /** Whether they are the system's. */
  readonly system: boolean;
}

const systemDefaults: readonly Constraint[] = [
  { topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 3 },
  { topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 5 },
];

/** @throws Error naming what is wrong */
export function readSpreadArgs(args: Args): SpreadArgs {
  const errors: field.FieldError[] = [];
  const type = args.defaultingType ?? "System";
  // Checked below, as far as the scheduler relies on it.
  const defaults = listAt(args, "defaultConstraints", errors).filter(isRecord) as readonly unknown[] as readonly Constraint[];
  if (type !== "System" && type !== "List") errors.push(field.notSupported("defaultingType", type, ["System", "List"]));
  if (type === "System" && defaults.length > 0)
    errors.push(field.invalid("defaultingType", type, "when .defaultConstraints are not empty"));
  for (const [i, constraint] of defaults.entries()) check(errors, `defaultConstraints[${i}]`, constraint, defaults.slice(0, i));
  refuseAny(errors);
  return type === "System" ? { defaults: systemDefaults, system: true } : { defaults, system: false };
}

function check(errors: field.FieldError[], path: string, constraint: Constraint, others: readonly Constraint[]): void {
  const { maxSkew, topologyKey, whenUnsatisfiable, labelSelector } = constraint;
  if (!Number.isInteger(maxSkew) || maxSkew <= 0) errors.push(field.invalid(`${path}.maxSkew`, maxSkew, "not in valid range (0, inf)"));
  if (!topologyKey) errors.push(field.required(`${path}.topologyKey`, "can not be empty"));
  else for (const problem of validateQualifiedName(topologyKey)) errors.push(field.invalid(`${path}.topologyKey`, topologyKey, problem));
  if (!whenUnsatisfiable) errors.push(field.required(`${path}.whenUnsatisfiable`, "can not be empty"));
  else if (!actions.includes(whenUnsatisfiable)) errors.push(field.notSupported(`${path}.whenUnsatisfiable`, whenUnsatisfiable, actions));
  if (labelSelector !== undefined)
    errors.push(field.forbidden(`${path}.labelSelector`, "constraint must not define a selector, as they deduced for each pod"));
  if (others.some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable))
    errors.push(field.duplicate(path, `{${topologyKey}, ${whenUnsatisfiable}}`));
}

const actions = ["DoNotSchedule", "ScheduleAnyway"];
