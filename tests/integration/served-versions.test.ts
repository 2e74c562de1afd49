/** Kinds that are served in two forms and stored in one: what each form says of who wrote, and of what is wrong. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, type Json, startApi } from "./api.ts";

const oldEvents = "/api/v1/namespaces/default/events";
const newEvents = "/apis/events.k8s.io/v1/namespaces/default/events";
const autoscalers = (version: string): string => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
const merge = "application/merge-patch+json";
const apply = "application/apply-patch+yaml";

const event = {
  apiVersion: "events.k8s.io/v1",
  kind: "Event",
  metadata: { name: "e" },
  eventTime: "2026-01-01T00:00:00.000000Z",
  reportingController: "example.com/c",
  reportingInstance: "i",
  action: "A",
  reason: "R",
  type: "Normal",
  regarding: { kind: "Pod", namespace: "default", name: "p" },
  note: "n",
};

const managersOf = (body: Json): unknown =>
  (body.metadata.managedFields ?? []).map(({ manager, apiVersion, fieldsV1 }: Json) => [manager, apiVersion, Object.keys(fieldsV1)]);

test("an Event's managed fields are of the group that its last writer used", async () => {
  const api = await startApi();
  const made = await api.send("POST", `${newEvents}?fieldManager=m`, { body: event });
  assert.equal(made.body.metadata.managedFields[0].apiVersion, "events.k8s.io/v1");
  const changed = await api.send("PATCH", `${oldEvents}/e?fieldManager=m`, { body: { message: "x", count: 9 }, type: merge });
  assert.deepEqual(managersOf(changed.body), [["m", "v1", ["f:count", "f:message"]]]);
  const series = { count: 2, lastObservedTime: "2026-01-01T00:00:00.000000Z" };
  const back = await api.send("PATCH", `${newEvents}/e?fieldManager=m`, { body: { series }, type: merge });
  assert.deepEqual(managersOf(back.body), [["m", "events.k8s.io/v1", ["f:series"]]]);
});

test("applying an Event through the other group keeps its managed fields' time", async () => {
  const api = await startApi();
  const first = await api.send("PATCH", `${newEvents}/e?fieldManager=m`, { body: event, type: apply });
  const second = await api.send("PATCH", `${oldEvents}/e?fieldManager=m`, {
    body: { apiVersion: "v1", kind: "Event", message: "n" },
    type: apply,
  });
  assert.deepEqual(managersOf(second.body), [["m", "v1", ["f:message"]]]);
  assert.equal(second.body.metadata.managedFields[0].time, first.body.metadata.managedFields[0].time);
});

test("errors about an Event name the kind of the core group, whichever group was asked", async () => {
  const api = await startApi();
  await api.send("POST", newEvents, { body: event });
  const refused = [
    await api.send("POST", newEvents, { body: { ...event, metadata: { name: "f" }, type: "Other" } }),
    await api.send("PATCH", `${newEvents}/e`, { body: { note: "another" }, type: merge }),
    await api.send("DELETE", `${newEvents}/e`, { body: { preconditions: { uid: "another" } } }),
  ];
  for (const { body } of refused) assert.equal(body.details.group, undefined, body.message);
  assert.match(refused[1]?.body.message, /^Event "e" is invalid: message:/);
  const { body } = await api.send("POST", newEvents, { body: event });
  assert.equal(body.details.group, "events.k8s.io", "what names the resource names the group that was asked");
  const { message } = (await api.send("POST", newEvents, { body: { ...event, apiVersion: "v1" } })).body;
  assert.equal(message, "the API version in the data (v1) does not match the expected API version (events.k8s.io/v1)");
});

const spec = { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } };
const scaler = (metadata: object, more: object = {}): object => ({ metadata, spec: { ...spec, ...more } });

async function created(api: Api, version: string, body: object): Promise<Json> {
  const answer = await api.send("POST", autoscalers(version), { body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

test("an autoscaler of autoscaling/v1 gets the target that it leaves out, and manages it", async () => {
  const api = await startApi();
  const made = await created(api, "v1", scaler({ name: "a" }));
  assert.equal(made.spec.targetCPUUtilizationPercentage, 80);
  assert.deepEqual(made.metadata.managedFields[0].fieldsV1["f:spec"]["f:targetCPUUtilizationPercentage"], {});
  assert.deepEqual(made.status, { currentReplicas: 0, desiredReplicas: 0 });
  const { status } = (await api.send("GET", `${autoscalers("v2")}/a`)).body;
  assert.deepEqual(status, { currentMetrics: null, desiredReplicas: 0 }, "autoscaling/v2 leaves out that there are none");
});

test("scaling rules in an annotation of autoscaling/v1 get the defaults of autoscaling/v2", async () => {
  const api = await startApi();
  const behavior = { ScaleUp: { Policies: [{ Type: "Pods", Value: 2, PeriodSeconds: 3 }] } };
  const annotations = { "autoscaling.alpha.kubernetes.io/behavior": JSON.stringify(behavior) };
  await created(api, "v1", scaler({ name: "a", annotations }));
  const { spec: stored } = (await api.send("GET", `${autoscalers("v2")}/a`)).body;
  assert.deepEqual(stored.behavior.scaleDown.policies, [{ type: "Percent", value: 100, periodSeconds: 15 }]);
  assert.equal(stored.behavior.scaleUp.stabilizationWindowSeconds, 0);
});

test("the annotations of autoscaling/v1 are in its objects, and in no metadata alone", async () => {
  const api = await startApi();
  const prefix = "autoscaling.alpha.kubernetes.io";
  const annotations = { keep: "me", [`${prefix}/metrics`]: "[]" };
  const made = await created(api, "v2", scaler({ name: "a", annotations }, { behavior: { scaleDown: { selectPolicy: "Disabled" } } }));
  assert.deepEqual(made.metadata.annotations, { keep: "me" }, "autoscaling/v2 has fields for all of it");
  const path = `${autoscalers("v1")}/a`;
  const { body: old } = await api.send("GET", path);
  assert.deepEqual(Object.keys(old.metadata.annotations).sort(), [`${prefix}/behavior`, "keep"]);
  const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  const table = "application/json;as=Table;g=meta.k8s.io;v=v1";
  const { body: metadata } = await api.send("GET", path, { accept: metadataOnly });
  assert.deepEqual(metadata.metadata.annotations, { keep: "me" });
  const { body: listed } = await api.send("GET", autoscalers("v1"), { accept: table });
  assert.deepEqual(listed.rows[0].object.metadata.annotations, { keep: "me" });
});
