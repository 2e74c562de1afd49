import assert from "node:assert/strict";
import { test } from "node:test";
import type { StatefulSet } from "@coxswain/types/apps-v1";
import { createdAs, updatedAs } from "../../kind-under-test.ts";
import { statefulSet } from "./strategy.ts";

const container = { name: "c", image: "i" };
const mounting = { ...container, volumeMounts: [{ name: "data", mountPath: "/data" }] };
const claim = { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } };
const bodyOf = (spec: object, podSpec: object = { containers: [container] }) => ({
  metadata: { name: "db" },
  spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: podSpec }, ...spec },
});

const cases = [
  { name: "claims are volumes of the template", body: bodyOf({ volumeClaimTemplates: [claim] }, { containers: [mounting] }), problems: [] },
  {
    name: "what is mounted must be there",
    body: bodyOf({}, { containers: [mounting] }),
    problems: ['spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"'],
  },
  {
    name: "the template's pods are looked at",
    body: bodyOf({}, { containers: [{ name: "C" }] }),
    problems: [
      "spec.template.spec.containers[0].name: Invalid value: \"C\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "spec.template.spec.containers[0].image: Required value",
    ],
  },
  {
    name: "names that the pods get from the set do not matter",
    body: bodyOf({}, { containers: [container], hostname: "A.B" }),
    problems: [],
  },
  {
    name: "a claim says what it wants",
    body: bodyOf({ volumeClaimTemplates: [{ metadata: { name: "data" }, spec: {} }] }),
    problems: [
      "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
      "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
    ],
  },
];

for (const { name, body, problems } of cases) {
  test(`of a StatefulSet ${name}`, () => assert.deepEqual(createdAs(statefulSet, body).problems, problems));
}

test("a template that was wrong before may stay wrong", () => {
  const good = createdAs(statefulSet, bodyOf({})).object;
  const broken: StatefulSet = JSON.parse(JSON.stringify(createdAs(statefulSet, bodyOf({}, { containers: [mounting] })).object));
  assert.deepEqual(updatedAs(statefulSet, broken, { ...broken, metadata: { ...broken.metadata, labels: { x: "y" } } }).problems, []);
  assert.equal(updatedAs(statefulSet, good, broken).problems.length, 1);
});

test("fractions of bytes in claims have a warning, with Kubernetes' own path on an update", () => {
  const fraction = { ...claim, spec: { ...claim.spec, resources: { requests: { storage: "1.5" } } } };
  const { object, warnings } = createdAs(statefulSet, bodyOf({ volumeClaimTemplates: [fraction] }));
  const text = 'resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer';
  assert.deepEqual(warnings, [`spec.volumeClaimTemplates[0].${text}`]);
  assert.deepEqual(updatedAs(statefulSet, object, object).warnings, [`spec.volumeClaimTemplates[0].Spec.${text}`]);
});

test("a feature that is off leaves no field behind", () => {
  const { object } = createdAs(statefulSet, bodyOf({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } } }));
  assert.deepEqual(object.spec?.updateStrategy, { type: "RollingUpdate", rollingUpdate: { partition: 0 } });
});
