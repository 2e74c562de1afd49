/** What the status of a policy says of the types of its expressions: type-checking.json is what kube-controller-manager 1.36.3 says. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { customResourceDefinitions, runControllers, validatingAdmissionPolicies } from "@coxswain/client";
import { validatingAdmissionPolicyStatusController } from "@coxswain/controllers";
import { everyFaultAtEveryStep, type Scenario, startCluster } from "coxswain/testing";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { supervised } from "./supervised.ts";

interface Recorded {
  readonly name: string;
  readonly spec: object;
  readonly warnings: readonly { readonly fieldRef: string; readonly warning: string }[];
}

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "type-checking.json"), "utf8")) as readonly Recorded[];
const timeoutMs = 7_200_000;

test("warnings are Kubernetes'", async (t) => {
  const cluster = await startCluster();
  t.after(() => cluster[Symbol.asyncDispose]());
  const { client } = cluster;
  const stop = new AbortController();
  const running = runControllers(validatingAdmissionPolicyStatusController.make({ client, settings: {} }), { client, signal: stop.signal });
  t.after(() => stop.abort());
  const policies = client.resource(validatingAdmissionPolicies);
  for (const { name, spec } of recorded) await policies.create({ metadata: { name }, spec });
  for (const { name, warnings } of recorded) {
    const { status } = await cluster.waitFor(validatingAdmissionPolicies, name, (policy) => policy.status?.observedGeneration === 1);
    assert.deepEqual(status?.typeChecking, warnings.length === 0 ? {} : { expressionWarnings: warnings }, name);
  }
  stop.abort();
  await running;
});

const definition = {
  metadata: { name: "seats.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced" as const,
    names: { plural: "seats", kind: "Seat" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: { row: { type: "integer" } } } } } },
      },
    ],
  },
};
const resourceRules = [{ apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["seats"] }];

const scenario: Scenario = async ({ client, cluster, signal }) => {
  await using _ = supervised([validatingAdmissionPolicyStatusController], { client, signal });
  const admin = cluster.client;
  await admin.resource(customResourceDefinitions).create(definition);
  const isEstablished = ({ status }: { status?: { conditions?: readonly { type: string; status: string }[] } }): boolean =>
    status?.conditions?.some(({ type, status: value }) => type === "Established" && value === "True") ?? false;
  await cluster.waitFor(customResourceDefinitions, "seats.example.com", isEstablished, { timeoutMs });
  const policies = admin.resource(validatingAdmissionPolicies);
  const spec = { matchConstraints: { resourceRules }, validations: [{ expression: "object.spec.row == 'a'" }] };
  await policies.create({ metadata: { name: "p" }, spec });
  const checked = async (generation: number, count: number) => {
    await cluster.waitFor(
      validatingAdmissionPolicies,
      "p",
      ({ status }) => status?.observedGeneration === generation && (status.typeChecking?.expressionWarnings?.length ?? 0) === count,
      { timeoutMs },
    );
  };
  await checked(1, 1);
  await policies.patch("p", { type: "merge", patch: { spec: { validations: [{ expression: "object.spec.row == 1" }] } } });
  await checked(2, 0);
};

test("the types of custom resources are checked, and again with each change of a policy, under injected faults", async (t) => {
  const { runs } = await everyFaultAtEveryStep({ scenario, ...chosenFaults });
  t.diagnostic(`${runs} runs`);
  assert.ok(runs > fewestRuns(4), `${runs} runs`);
});
