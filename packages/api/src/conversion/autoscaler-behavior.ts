/**
 * Scaling behaviour as the v1 annotation holds it: Kubernetes writes its internal type there, so every name is
 * capitalised and what is not set is null; names are read in any capitalisation.
 */
import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from "@coxswain/types/autoscaling-v2";
import { defined, integerOf, type JsonObject, objectOf, optional, parseAnnotation, quantityOf, stringOf } from "./annotation.ts";

export const behaviorToAnnotation = ({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): string =>
  JSON.stringify({ ScaleUp: writeRules(scaleUp), ScaleDown: writeRules(scaleDown) });

/** Undefined without the annotation, when it cannot be read and when it sets nothing. */
export function behaviorFromAnnotation(text: string | undefined): HorizontalPodAutoscalerBehavior | undefined {
  const behavior = parseAnnotation(text, (json) => {
    const { scaleup, scaledown } = anyCase(json);
    return defined({ scaleUp: optional(scaleup, readRules), scaleDown: optional(scaledown, readRules) });
  });
  return behavior === undefined || Object.keys(behavior).length === 0 ? undefined : behavior;
}

const writeRules = (rules: HPAScalingRules | undefined): JsonObject | null =>
  rules === undefined
    ? null
    : {
        StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
        SelectPolicy: rules.selectPolicy ?? null,
        Policies:
          rules.policies?.map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds })) ?? null,
        Tolerance: rules.tolerance ?? null,
      };

function readRules(json: unknown): HPAScalingRules {
  const rules = anyCase(json);
  return defined({
    stabilizationWindowSeconds: optional(rules.stabilizationwindowseconds, integerOf),
    selectPolicy: optional(rules.selectpolicy, stringOf),
    policies: optional(rules.policies, (list) => {
      if (!Array.isArray(list)) throw new TypeError("expected a list");
      return list.map((item) => {
        const { type, value, periodseconds } = anyCase(item);
        return { type: stringOf(type ?? ""), value: integerOf(value ?? 0), periodSeconds: integerOf(periodseconds ?? 0) };
      });
    }),
    tolerance: optional(rules.tolerance, quantityOf),
  });
}

const anyCase = (json: unknown): JsonObject =>
  Object.fromEntries(Object.entries(objectOf(json)).map(([name, value]) => [name.toLowerCase(), value]));
