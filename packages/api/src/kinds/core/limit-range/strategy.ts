import type { LimitRange } from "@coxswain/types/core-v1";
import { roundAmounts } from "../../../pod-spec/default-resources.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { nameAndCreationTime } from "../../../table/columns.ts";
import { bounds, limitRangeValidation } from "./validation.ts";

/** @see https://kubernetes.io/docs/concepts/policy/limit-range/ */
export const limitRange = defineKind<LimitRange>({
  type: "io.k8s.api.core.v1.LimitRange",
  metadataPasses: ["whole"],
  allowCreateOnUpdate: true,
  generation: "never",
  defaults({ spec }) {
    for (const limit of spec?.limits ?? []) {
      for (const bound of bounds) roundAmounts(limit[bound]);
      if (limit.type !== "Container") continue;
      const usual = { ...limit.max, ...limit.default };
      const requests = { ...limit.min, ...usual, ...limit.defaultRequest };
      if (Object.keys(usual).length > 0) limit.default = usual;
      if (Object.keys(requests).length > 0) limit.defaultRequest = requests;
    }
  },
  prepareForCreate({ metadata }) {
    // A nameless range gets a name that no other one has.
    if (metadata?.uid) metadata.name ||= metadata.uid;
  },
  ...limitRangeValidation,
  columns: nameAndCreationTime,
});
