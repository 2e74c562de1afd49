import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hpa, ScalingRules } from "./hpa-types.ts";
import { normalizeReplicas } from "./normalize-replicas.ts";
import { noHistory, type ScalingHistory } from "./scaling-history.ts";

const nowMs = Date.parse("2026-01-01T12:00:00Z");
const ago = (seconds: number): number => nowMs - seconds * 1000;

const rules = (more: Partial<ScalingRules>): ScalingRules => ({
  policies: [{ type: "Pods", value: 2, periodSeconds: 60 }],
  selectPolicy: "Max",
  stabilizationWindowSeconds: 0,
  ...more,
});

interface Case {
  readonly name: string;
  readonly proposed: number;
  readonly current: number;
  readonly history?: Partial<ScalingHistory>;
  readonly up?: Partial<ScalingRules>;
  readonly down?: Partial<ScalingRules>;
  readonly downWindow?: "default";
  readonly expect: readonly [number, string, string];
}

const plain: readonly Case[] = [
  { name: "as proposed", proposed: 5, current: 4, expect: [5, "ReadyForNewScale", "DesiredWithinRange"] },
  { name: "at most twice as many", proposed: 9, current: 4, expect: [8, "ReadyForNewScale", "ScaleUpLimit"] },
  { name: "but four in any case", proposed: 9, current: 1, expect: [4, "ReadyForNewScale", "ScaleUpLimit"] },
  { name: "never more than the maximum", proposed: 30, current: 9, expect: [10, "ReadyForNewScale", "TooManyReplicas"] },
  { name: "never fewer than the minimum", proposed: 1, current: 4, expect: [2, "ReadyForNewScale", "TooFewReplicas"] },
  {
    name: "not down while more were wanted within five minutes",
    proposed: 3,
    current: 6,
    history: {
      recommendations: [
        { replicas: 5, at: ago(299) },
        { replicas: 6, at: ago(301) },
      ],
    },
    expect: [5, "ScaleDownStabilized", "DesiredWithinRange"],
  },
];

const withBehavior: readonly Case[] = [
  { name: "two more at once", proposed: 9, current: 4, up: {}, expect: [6, "ReadyForNewScale", "ScaleUpLimit"] },
  {
    name: "two more in a minute",
    proposed: 9,
    current: 5,
    up: {},
    history: {
      up: [
        { change: 1, at: ago(30) },
        { change: 7, at: ago(90) },
      ],
    },
    expect: [6, "ReadyForNewScale", "ScaleUpLimit"],
  },
  {
    name: "the policy that allows most",
    proposed: 9,
    current: 4,
    up: {
      policies: [
        { type: "Pods", value: 1, periodSeconds: 60 },
        { type: "Percent", value: 90, periodSeconds: 60 },
      ],
    },
    expect: [8, "ReadyForNewScale", "ScaleUpLimit"],
  },
  {
    name: "the policy that allows least",
    proposed: 9,
    current: 4,
    up: {
      selectPolicy: "Min",
      policies: [
        { type: "Pods", value: 1, periodSeconds: 60 },
        { type: "Percent", value: 90, periodSeconds: 60 },
      ],
    },
    expect: [5, "ReadyForNewScale", "ScaleUpLimit"],
  },
  {
    name: "never down where that is disabled",
    proposed: 2,
    current: 4,
    down: { selectPolicy: "Disabled" },
    expect: [4, "ReadyForNewScale", "ScaleDownLimit"],
  },
  {
    name: "half at once",
    proposed: 2,
    current: 9,
    down: { policies: [{ type: "Percent", value: 50, periodSeconds: 60 }] },
    expect: [4, "ReadyForNewScale", "ScaleDownLimit"],
  },
  {
    name: "up only as far as all wanted lately",
    proposed: 6,
    current: 4,
    up: { stabilizationWindowSeconds: 60 },
    history: {
      recommendations: [
        { replicas: 5, at: ago(30) },
        { replicas: 4, at: ago(90) },
      ],
    },
    expect: [5, "ScaleUpStabilized", "DesiredWithinRange"],
  },
  {
    name: "down with no window of its own waits five minutes",
    proposed: 3,
    current: 6,
    downWindow: "default",
    history: { recommendations: [{ replicas: 6, at: ago(200) }] },
    expect: [6, "ScaleDownStabilized", "DesiredWithinRange"],
  },
];

for (const [kind, cases] of [
  ["without a behavior", plain],
  ["with one", withBehavior],
] as const)
  for (const { name, proposed, current, history, up, down, downWindow, expect } of cases)
    test(`${kind}: ${name}`, () => {
      const { stabilizationWindowSeconds, ...scaleDown } = rules(down ?? {});
      const window = downWindow === "default" || stabilizationWindowSeconds === undefined ? {} : { stabilizationWindowSeconds };
      const behavior = { scaleUp: rules(up ?? {}), scaleDown: { ...scaleDown, ...window } };
      const hpa: Hpa = {
        spec: { maxReplicas: 10, scaleTargetRef: { kind: "Deployment", name: "web" }, ...(kind === "with one" ? { behavior } : {}) },
      };
      const { replicas, able, limited } = normalizeReplicas(proposed, {
        hpa,
        current,
        min: 2,
        history: { ...noHistory, ...history },
        nowMs,
      });
      assert.deepEqual([replicas, able.reason, limited.reason], expect);
      assert.equal(limited.isLimited, limited.reason !== "DesiredWithinRange");
    });

test("what is too old to matter is forgotten", () => {
  const hpa: Hpa = { spec: { maxReplicas: 10, scaleTargetRef: { kind: "Deployment", name: "web" } } };
  const history = {
    ...noHistory,
    recommendations: [
      { replicas: 3, at: ago(400) },
      { replicas: 4, at: ago(100) },
    ],
  };
  const { history: next } = normalizeReplicas(5, { hpa, current: 4, min: 1, history, nowMs });
  assert.deepEqual(
    next.recommendations.map(({ replicas }) => replicas),
    [4, 5],
  );
});
