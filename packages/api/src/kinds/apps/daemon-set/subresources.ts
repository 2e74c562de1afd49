import type { DaemonSet, DaemonSetStatus } from "@coxswain/types/apps-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import { type Errors, nonNegative } from "../../../validation/checks.ts";
import { validateCollisionCount } from "../../../validation/replica-status.ts";

export const daemonSetSubresources: Subresources<DaemonSet> = {
  status: {
    prepareForUpdate: (next, prev) => setTemplateGeneration(next, templateGenerationOf(prev)),
    validateUpdate: ({ status }, prev) => {
      const out: Errors = [];
      for (const name of counts) nonNegative(out, `status.${name}`, status?.[name]);
      validateCollisionCount(out, status, prev.status);
      return out;
    },
  },
};

/** A field of older versions that lives on as an annotation: counts the templates. */
export const templateGeneration = "deprecated.daemonset.template.generation";

const counts = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
] as const satisfies readonly (keyof DaemonSetStatus)[];

export const templateGenerationOf = ({ metadata }: Readonly<DaemonSet>): number =>
  Number(metadata?.annotations?.[templateGeneration] ?? 0) || 0;

export function setTemplateGeneration(obj: DaemonSet, value: number): void {
  if (!obj.metadata) return;
  obj.metadata.annotations = { ...obj.metadata.annotations, [templateGeneration]: String(value) };
}
