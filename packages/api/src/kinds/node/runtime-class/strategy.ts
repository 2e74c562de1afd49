import { field, validateDns1123Label } from "@coxswain/machinery";
import type { RuntimeClass, Scheduling } from "@coxswain/types/node-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors, immutable, requiredText } from "../../../validation/checks.ts";
import { validateLabels } from "../../../validation/metadata/parts.ts";
import { labelDeprecation } from "../../../validation/pod-spec/deprecated-labels.ts";
import { validateResources } from "../../../validation/pod-spec/resources.ts";
import { validateTolerations } from "../../../validation/pod-spec/scheduling.ts";
import { runtimeClassColumns } from "./columns.ts";

const noClaims: ReadonlySet<string> = new Set();

/** @see https://kubernetes.io/docs/concepts/containers/runtime-class/ */
export const runtimeClass = defineKind<RuntimeClass>({
  type: "io.k8s.api.node.v1.RuntimeClass",
  metadataPasses: ["whole", "changes"],
  allowUnconditionalUpdate: false,
  allowCreateOnUpdate: true,
  generation: "never",
  validate: ({ handler, overhead, scheduling }) => {
    const out: Errors = [];
    requiredText(out, "handler", handler);
    if (handler) addInvalid(out, "handler", handler, validateDns1123Label(handler));
    if (overhead?.podFixed !== undefined) validateResources(out, "overhead", { limits: overhead.podFixed }, noClaims);
    if (scheduling !== undefined) validateScheduling(out, "scheduling", scheduling);
    return out;
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    immutable(out, "handler", next.handler, prev.handler);
    return out;
  },
  *warnings({ scheduling }) {
    for (const key of Object.keys(scheduling?.nodeSelector ?? {})) {
      const text = labelDeprecation(key);
      if (text !== undefined) yield `scheduling.nodeSelector: ${text}`;
    }
  },
  columns: runtimeClassColumns,
});

function validateScheduling(out: Errors, path: string, { nodeSelector, tolerations = [] }: Readonly<Scheduling>): void {
  validateLabels(out, nodeSelector ?? {}, `${path}.nodeSelector`);
  validateTolerations(out, `${path}.tolerations`, tolerations);
  const seen = new Set<string>();
  for (const [i, toleration] of tolerations.entries()) {
    const { key = "", operator = "", value = "", effect = "" } = toleration;
    const identity = JSON.stringify([key, operator, value, effect]);
    if (seen.has(identity)) {
      const shown = { Key: key, Operator: operator, Value: value, Effect: effect, TolerationSeconds: toleration.tolerationSeconds ?? null };
      out.push(field.duplicate(`${path}.tolerations[${i}]`, shown));
    }
    seen.add(identity);
  }
}
