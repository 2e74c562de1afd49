import assert from "node:assert/strict";
import { test } from "node:test";
import type { Container, Pod } from "@coxswain/types/core-v1";
import { createdAs, statusUpdatedAs } from "../../kind-under-test.ts";
import { pod } from "./strategy.ts";

const podOf = (restartPolicy: string, more: Partial<Container>, exitCode: number): Pod => {
  const { object } = createdAs(pod, { metadata: { name: "p" }, spec: { restartPolicy, containers: [{ name: "c", image: "i", ...more }] } });
  return { ...object, status: { ...object.status, containerStatuses: [statusOf({ terminated: { exitCode } })] } };
};
const statusOf = (state: object) => ({ name: "c", image: "i", imageID: "", ready: false, restartCount: 0, state });
const ofCode = (operator: string, values: number[], action = "Restart") => ({
  restartPolicy: "Never",
  restartPolicyRules: [{ action, exitCodes: { operator, values } }],
});
const stays = ["status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"];

const cases = [
  { name: "always", policy: "Always", container: {}, exitCode: 0, problems: [] },
  { name: "never", policy: "Never", container: {}, exitCode: 1, problems: stays },
  { name: "after a failure", policy: "OnFailure", container: {}, exitCode: 1, problems: [] },
  { name: "not after a success", policy: "OnFailure", container: {}, exitCode: 0, problems: stays },
  { name: "not when the container says so", policy: "Always", container: { restartPolicy: "Never" }, exitCode: 1, problems: stays },
  { name: "for a code that a rule names", policy: "Never", container: ofCode("In", [42]), exitCode: 42, problems: [] },
  { name: "not for another", policy: "Never", container: ofCode("In", [42]), exitCode: 43, problems: stays },
  { name: "for all but the code that a rule names", policy: "Never", container: ofCode("NotIn", [42]), exitCode: 43, problems: [] },
  { name: "with all others", policy: "Never", container: ofCode("In", [1], "RestartAllContainers"), exitCode: 0, problems: [] },
];

for (const { name, policy, container, exitCode, problems } of cases) {
  test(`what has ended starts again ${name}`, () => {
    const prev = podOf(policy, container, exitCode);
    assert.deepEqual(statusUpdatedAs(pod, prev, { ...prev.status, containerStatuses: [statusOf({ running: {} })] }).problems, problems);
  });
}

test("an address that was written wrong before may stay", () => {
  const prev = podOf("Always", {}, 0);
  const wrong = { ...prev.status, podIP: "010.0.0.1", podIPs: [{ ip: "010.0.0.1" }] };
  assert.deepEqual(statusUpdatedAs(pod, prev, wrong).problems, ['status.podIPs[0]: Invalid value: "010.0.0.1": must not have leading 0s']);
  assert.deepEqual(statusUpdatedAs(pod, { ...prev, status: wrong }, wrong).problems, []);
});

test("who leaves out what was observed does not clear it", () => {
  const prev = podOf("Always", {}, 0);
  const conditions = [
    { type: "Ready", status: "False", observedGeneration: 2 },
    { type: "Ready", status: "True", observedGeneration: 3 },
  ];
  const cleared = conditions.map(({ type, status }) => ({ type, status }));
  const { object } = statusUpdatedAs(pod, { ...prev, status: { ...prev.status, conditions } }, { ...prev.status, conditions: cleared });
  assert.deepEqual(
    object.status?.conditions?.map((condition) => condition.observedGeneration),
    [2, 3],
  );
});
