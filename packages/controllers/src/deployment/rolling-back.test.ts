import assert from "node:assert/strict";
import { test } from "node:test";
import { plan } from "./plan.ts";
import { deploymentUnderTest, nowMs, replicaSetUnderTest } from "./rollout-under-test.ts";

const asked = "deprecated.deployment.rollback.to";
const sets = [
  replicaSetUnderTest({ revision: 1, wants: 0, annotations: { note: "then" } }),
  replicaSetUnderTest({ revision: 2, wants: 3 }),
];

const rollback = (to: string, replicaSets = sets) => {
  const annotations = { [asked]: to, "deployment.kubernetes.io/revision": "2" };
  const status = { conditions: [{ type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" }] };
  return plan({ deployment: deploymentUnderTest({ annotations, status }), replicaSets, runs: () => false, nowMs });
};

const cases: readonly { name: string; to: string; sets?: typeof sets; expect: string; image?: string }[] = [
  { name: "to a revision", to: "1", expect: 'Normal DeploymentRollback Rolled back deployment "web" to revision 1', image: "v1" },
  { name: "to the one before", to: "0", expect: 'Normal DeploymentRollback Rolled back deployment "web" to revision 1', image: "v1" },
  { name: "to nothing", to: "7", expect: "Warning DeploymentRollbackRevisionNotFound Unable to find the revision to rollback to." },
  {
    name: "where there is none before",
    to: "0",
    sets: sets.slice(1),
    expect: "Warning DeploymentRollbackRevisionNotFound Unable to find last revision.",
  },
  {
    name: "to what it is already",
    to: "2",
    expect: 'Warning DeploymentRollbackTemplateUnchanged The rollback revision contains the same template as current deployment "web"',
  },
];
for (const { name, to, sets: given, expect, image = "v2" } of cases)
  test(`rolls back ${name}, and is asked no longer`, () => {
    const { rollback: found } = rollback(to, given);
    assert.equal(`${found?.type} ${found?.reason} ${found?.message}`, expect);
    const { metadata, spec } = found?.deployment ?? {};
    assert.equal(spec?.template.spec?.containers[0]?.image, image);
    assert.deepEqual(spec?.template.metadata?.labels, { app: "web" });
    assert.deepEqual(metadata?.annotations, { "deployment.kubernetes.io/revision": "2", ...(image === "v1" ? { note: "then" } : {}) });
  });

test("what is no number asks for nothing", () => assert.equal(rollback("x").rollback, undefined));
