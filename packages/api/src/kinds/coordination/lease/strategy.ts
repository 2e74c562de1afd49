import { field, validateQualifiedName } from "@coxswain/machinery";
import type { Lease, LeaseSpec } from "@coxswain/types/coordination-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors } from "../../../validation/checks.ts";
import { leaseColumns } from "./columns.ts";

/** @see https://kubernetes.io/docs/concepts/architecture/leases/ */
export const lease = defineKind<Lease>({
  type: "io.k8s.api.coordination.v1.Lease",
  finalizers: "any",
  allowUnconditionalUpdate: false,
  allowCreateOnUpdate: true,
  generation: "never",
  prepareForCreate: (obj) => dropCoordination(obj, undefined),
  prepareForUpdate: (next, prev) => dropCoordination(next, prev.spec),
  validate: ({ spec = {} }) => validateSpec(spec),
  columns: leaseColumns,
});

/** Coordinated leader election is off by default: its fields only stay where they were. */
function dropCoordination({ spec }: Lease, prev: Readonly<LeaseSpec> | undefined): void {
  if (spec === undefined) return;
  if (spec.strategy !== undefined && prev?.strategy === undefined) delete spec.strategy;
  if (spec.preferredHolder !== undefined && prev?.preferredHolder === undefined) delete spec.preferredHolder;
}

function validateSpec({ leaseDurationSeconds, leaseTransitions, strategy, preferredHolder }: Readonly<LeaseSpec>): Errors {
  const out: Errors = [];
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    out.push(field.invalid("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0"));
  }
  if (leaseTransitions !== undefined && leaseTransitions < 0) {
    out.push(field.invalid("spec.leaseTransitions", leaseTransitions, "must be greater than or equal to 0"));
  }
  // The path repeats its last part in Kubernetes, too.
  if (strategy?.includes("/")) addInvalid(out, "spec.strategy.strategy", strategy, validateQualifiedName(strategy));
  else if (strategy !== undefined && strategy !== "OldestEmulationVersion") {
    out.push(field.notSupported("spec.strategy.strategy", strategy, ["OldestEmulationVersion"]));
  }
  if (preferredHolder && !strategy) out.push(field.forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined"));
  return out;
}
