import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@coxswain/machinery";
import fc from "fast-check";
import { convertObject, storedFieldLabel } from "./convert.ts";

const core = { group: "", version: "v1" };
const events = { group: "events.k8s.io", version: "v1" };
const v1 = { group: "autoscaling", version: "v1" };
const v2 = { group: "autoscaling", version: "v2" };

const coreEvent: KubeObject = {
  kind: "Event",
  apiVersion: "v1",
  metadata: { name: "x" },
  involvedObject: { kind: "Pod", name: "p" },
  reason: "R",
  message: "m",
  source: { component: "c" },
  firstTimestamp: "2026-01-01T00:00:00Z",
  lastTimestamp: "2026-01-01T00:00:01Z",
  count: 2,
  type: "Normal",
  eventTime: null,
  reportingComponent: "",
  reportingInstance: "",
};

test("a core Event reads as an events.k8s.io one and back", () => {
  const converted = convertObject(coreEvent, core, events);
  assert.deepEqual(converted, {
    kind: "Event",
    apiVersion: "events.k8s.io/v1",
    metadata: { name: "x" },
    regarding: { kind: "Pod", name: "p" },
    reason: "R",
    note: "m",
    deprecatedSource: { component: "c" },
    deprecatedFirstTimestamp: "2026-01-01T00:00:00Z",
    deprecatedLastTimestamp: "2026-01-01T00:00:01Z",
    deprecatedCount: 2,
    type: "Normal",
    eventTime: null,
  });
  assert.deepEqual(convertObject(converted, events, core), coreEvent);
});

test("a conversion leaves its input alone, and the same version is the object itself", () => {
  const before = structuredClone(coreEvent);
  convertObject(coreEvent, core, events);
  assert.deepEqual(coreEvent, before);
  assert.equal(convertObject(coreEvent, core, core), coreEvent);
});

test("without a rule only the apiVersion changes", () => {
  const seat = { kind: "Seat", apiVersion: "example.com/v1", metadata: { name: "a" }, spec: { n: 1 } };
  const to = { group: "example.com", version: "v2" };
  assert.deepEqual(convertObject(seat, { group: "example.com", version: "v1" }, to), { ...seat, apiVersion: "example.com/v2" });
});

const labels: readonly (readonly [string, string | undefined])[] = [
  ["regarding.name", "involvedObject.name"],
  ["reportingController", "reportingComponent"],
  ["type", "type"],
  ["involvedObject.name", undefined],
  ["source", undefined],
];
for (const [label, expect] of labels) {
  test(`events.k8s.io selects ${label} as ${expect}`, () =>
    assert.equal(storedFieldLabel({ group: "events.k8s.io", kind: "Event" }, label), expect));
}
test("other kinds call fields what they are", () => assert.equal(storedFieldLabel({ group: "", kind: "Event" }, "source"), "source"));

const scaler = (
  spec: object,
  status: object = { desiredReplicas: 0, currentMetrics: null },
  metadata: object = { name: "h" },
): KubeObject => ({
  kind: "HorizontalPodAutoscaler",
  apiVersion: "autoscaling/v2",
  metadata,
  spec: { maxReplicas: 3, minReplicas: 1, scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" }, ...spec },
  status,
});
const cpu = (averageUtilization: number) => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
const prefix = "autoscaling.alpha.kubernetes.io";

test("the CPU's utilisation is the one metric of autoscaling/v1", () => {
  assert.deepEqual(convertObject(scaler({ metrics: [cpu(70)] }), v2, v1), {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v1",
    metadata: { name: "h" },
    spec: {
      maxReplicas: 3,
      minReplicas: 1,
      scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
      targetCPUUtilizationPercentage: 70,
    },
    status: { currentReplicas: 0, desiredReplicas: 0 },
  });
});

test("an autoscaling/v1 object without a target aims at 80 percent of CPU", () => {
  const old = { ...scaler({}, { currentReplicas: 0, desiredReplicas: 0 }), apiVersion: "autoscaling/v1" };
  assert.deepEqual((convertObject(old, v1, v2).spec as { metrics: unknown }).metrics, [cpu(80)]);
});

test("everything else rides in annotations, in the forms of autoscaling/v1", () => {
  const rules = { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies: [{ type: "Pods", value: 4, periodSeconds: 15 }] };
  const memory = { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "500Mi" } } };
  const converted = convertObject(
    scaler(
      { metrics: [memory, cpu(60)], behavior: { scaleUp: rules } },
      {
        desiredReplicas: 2,
        currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 55, averageValue: "10m" } } }],
        conditions: [{ type: "AbleToScale", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "m" }],
      },
    ),
    v2,
    v1,
  );
  assert.deepEqual(converted.metadata?.annotations, {
    [`${prefix}/metrics`]: '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"500Mi"}}]',
    [`${prefix}/current-metrics`]:
      '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":55,"currentAverageValue":"10m"}}]',
    [`${prefix}/behavior`]:
      '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":null}',
    [`${prefix}/conditions`]:
      '[{"type":"AbleToScale","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"R","message":"m"}]',
  });
  assert.deepEqual(converted.status, { currentReplicas: 0, desiredReplicas: 2, currentCPUUtilizationPercentage: 55 });
});

test("an annotation that cannot be read is ignored", () => {
  const annotations = { [`${prefix}/metrics`]: "[1]", [`${prefix}/behavior`]: "{", [`${prefix}/conditions`]: '[{"type":7}]', keep: "me" };
  const old = { ...scaler({ targetCPUUtilizationPercentage: 50 }, {}, { name: "h", annotations }), apiVersion: "autoscaling/v1" };
  const { metadata, spec, status } = convertObject(old, v1, v2);
  assert.deepEqual(metadata, { name: "h", annotations: { keep: "me" } });
  assert.deepEqual((spec as { metrics: unknown; behavior?: unknown }).metrics, [cpu(50)]);
  assert.equal((spec as { behavior?: unknown }).behavior, undefined);
  assert.deepEqual(status, { currentMetrics: null });
});

const quantity = fc.constantFrom("1", "500m", "2Gi", "0");
const positive = fc.constantFrom("1", "500m", "2Gi");
const metric = fc.record({ name: fc.string() }, { requiredKeys: ["name"] });
const reference = fc.record({ kind: fc.string(), name: fc.string(), apiVersion: fc.string() }, { requiredKeys: ["kind", "name"] });
const resourceTarget = fc.oneof(
  fc.record({ type: fc.constant("Utilization"), averageUtilization: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ type: fc.constant("AverageValue"), averageValue: quantity }),
);
const otherMetric = fc.oneof(
  fc.record({ type: fc.constant("Resource"), resource: fc.record({ name: fc.constant("memory"), target: resourceTarget }) }),
  fc.record({
    type: fc.constant("ContainerResource"),
    containerResource: fc.record({ name: fc.constant("cpu"), container: fc.string(), target: resourceTarget }),
  }),
  fc.record({
    type: fc.constant("Pods"),
    pods: fc.record({ metric, target: fc.record({ type: fc.constant("AverageValue"), averageValue: quantity }) }),
  }),
  fc.record({
    type: fc.constant("Object"),
    object: fc.record({
      describedObject: reference,
      metric,
      target: fc.oneof(
        fc.record({ type: fc.constant("Value"), value: quantity }),
        fc.record({ type: fc.constant("AverageValue"), averageValue: quantity }),
        fc.record({ type: fc.constant("AverageValue"), averageValue: quantity, value: positive }),
      ),
    }),
  }),
  fc.record({
    type: fc.constant("External"),
    external: fc.record({
      metric,
      target: fc.oneof(
        fc.record({ type: fc.constant("Value"), value: quantity }),
        fc.record({ type: fc.constant("AverageValue"), averageValue: quantity }),
      ),
    }),
  }),
);
const policy = fc.record({ type: fc.constantFrom("Pods", "Percent"), value: fc.nat(), periodSeconds: fc.nat() });
const scalingRules = fc.record(
  { stabilizationWindowSeconds: fc.nat(), selectPolicy: fc.constant("Min"), policies: fc.array(policy), tolerance: quantity },
  { requiredKeys: [] },
);

test("any autoscaler survives the way to autoscaling/v1 and back", () => {
  const spec = fc.record({
    others: fc.array(otherMetric, { maxLength: 4 }),
    cpu: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
    behavior: fc.option(fc.record({ scaleUp: scalingRules, scaleDown: scalingRules }), { nil: undefined }),
  });
  fc.assert(
    fc.property(spec, ({ others, cpu: utilization, behavior }) => {
      const metrics = [...others, ...(utilization === undefined ? [] : [cpu(utilization)])];
      const autoscaler = scaler({ metrics: metrics.length === 0 ? [cpu(80)] : metrics, ...(behavior === undefined ? {} : { behavior }) });
      const back = convertObject(convertObject(autoscaler, v2, v1), v1, v2);
      assert.deepEqual(
        JSON.parse(JSON.stringify(back)),
        JSON.parse(JSON.stringify({ ...autoscaler, status: { desiredReplicas: 0, currentMetrics: null } })),
      );
    }),
    { numRuns: 200 },
  );
});
