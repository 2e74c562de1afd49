/** NodeResourcesBalancedAllocationArgs of kubescheduler.config.k8s.io/v1. */
import { field } from "@coxswain/machinery";
import { type Args, refuseAny } from "../plugin-args.ts";
import type { ScoredResource } from "./allocation.ts";
import { readResources } from "./resource-args.ts";

/** @throws Error naming what is wrong */
export function readBalancedAllocationArgs(args: Args): readonly ScoredResource[] {
  const errors: field.FieldError[] = [];
  const resources = readResources(args.resources);
  for (const [i, { name, weight }] of resources.entries()) {
    if (resources.findIndex((other) => other.name === name) < i) errors.push(field.duplicate(`resources[${i}].name`, name));
    if (weight !== 1) errors.push(field.invalid(`resources[${i}].weight`, weight, "must be 1"));
  }
  refuseAny(errors);
  return resources;
}
