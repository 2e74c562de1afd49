import assert from "node:assert/strict";
import { test } from "node:test";
import { certificateSigningRequests } from "@coxswain/client";
import { certificateApprovingController, certificateCleanerController } from "@coxswain/controllers";
import { formatTime } from "@coxswain/machinery";
import { everyFaultAtEveryStep, type Scenario } from "coxswain/testing";
import { kubeletRequest, otherRequest } from "./certificate-requests.ts";
import { chosenFaults, fewestRuns } from "./fault-choice.ts";
import { supervised } from "./supervised.ts";

const timeoutMs = 7_200_000;

const scenario: Scenario = async ({ client, cluster, signal }) => {
  await using _ = supervised([certificateApprovingController, certificateCleanerController], { client, signal });
  const requests = cluster.client.resource(certificateSigningRequests);
  const usages = ["digital signature", "client auth"];
  const kubelet = { request: kubeletRequest, signerName: "kubernetes.io/kube-apiserver-client-kubelet", usages };
  await requests.create({ metadata: { name: "kubelet" }, spec: kubelet });
  await requests.create({
    metadata: { name: "jane" },
    spec: { request: otherRequest, signerName: "kubernetes.io/kube-apiserver-client", usages },
  });
  const signed = await cluster.waitFor(certificateSigningRequests, "kubelet", ({ status }) => (status?.certificate ?? "") !== "", {
    timeoutMs,
  });
  const conditions = signed.status?.conditions ?? [];
  assert.deepEqual(
    conditions.map(({ type, reason }) => [type, reason]),
    [["Approved", "AutoApproved"]],
  );
  assert.deepEqual((await requests.get("jane")).status ?? {}, {}, "that of a person waits for a person");
  const lastUpdateTime = formatTime({ seconds: Math.floor(cluster.clock.now() / 1000) - 3590, nanos: 0 }) ?? "";
  const denied = {
    ...(await requests.get("jane")),
    status: { conditions: [{ type: "Denied", status: "True", reason: "No", lastUpdateTime }] },
  };
  const named = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest", ...denied };
  await requests.subresource("jane", "approval").update(named);
  await cluster.waitFor(certificateSigningRequests, "jane", "delete", { timeoutMs });
};

test("requests of kubelets are approved and signed, and denied ones are cleaned up under injected faults", async (t) => {
  const { runs } = await everyFaultAtEveryStep({ scenario, ...chosenFaults });
  t.diagnostic(`${runs} runs`);
  assert.ok(runs > fewestRuns(10), `${runs} runs`);
});
