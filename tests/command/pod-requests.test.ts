/**
 * What a Pod costs its API server from the creation of its Deployment until it is ready, beside Kubernetes 1.36.3: kube-apiserver, kube-controller-manager,
 * kube-scheduler and a kubelet without containers (kubemark), counted in the audit log of kube-apiserver.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { deployments, nodes, serviceAccounts } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { startCommand } from "../conformance/command-under-test.ts";

/**
 * As many there; kubemark's events are those that a kubelet records in its sources (Pulling, Pulled, Created, Started). A kubelet also gets the Pod before each of its
 * patches, asks for a token and watches the ConfigMap of the authorities, which simulated nodes need not.
 */
const there: Readonly<Record<string, number>> = {
  "deployment-controller create replicasets": 1,
  "deployment-controller create events": 1,
  // One of them refused for being based on an old version.
  "deployment-controller update deployments/status": 5,
  "replicaset-controller create pods": 1,
  "replicaset-controller create events": 1,
  "replicaset-controller update replicasets/status": 3,
  "kube-scheduler create pods/binding": 1,
  "kube-scheduler create events": 1,
  "kubelet get pods": 3,
  "kubelet patch pods/status": 3,
  "kubelet create serviceaccounts/token": 1,
  "kubelet watch configmaps": 1,
  "kubelet create events": 4,
};

/** In the bodies of these requests, in JSON, without the kubelet's events and token. */
const bytesThere = 16_172;

interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string; readonly groups: readonly string[] };
  readonly objectRef?: { readonly resource: string; readonly subresource?: string; readonly name?: string };
  readonly requestObject?: {
    readonly metadata?: { readonly name?: string; readonly generateName?: string; readonly managedFields?: unknown };
  };
}

/** The Deployment, what is made for it, and what is said of these; not what the test does. */
function isOfDeployment({ stage, user, objectRef, requestObject }: AuditEvent): boolean {
  const { name, generateName = "" } = requestObject?.metadata ?? {};
  return (
    stage === "ResponseComplete" && !user.groups.includes("system:masters") && (objectRef?.name ?? name ?? generateName).startsWith("web")
  );
}

function callOf({ verb, user, objectRef }: AuditEvent): string {
  const { resource, subresource } = objectRef ?? {};
  const who = user.username.replace(/^system:(?:serviceaccount:kube-system:)?/, "").replace(/^node:.*|^simulated-nodes$/, "kubelet");
  return `${who} ${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}`;
}

test("a Deployment of one Pod makes no more requests than in Kubernetes", { timeout: hangMs }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [policy, log] = [join(folder, "policy.yaml"), join(folder, "audit.log")];
  writeFileSync(policy, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: RequestResponse\n");
  const command = await startCommand("--ephemeral", "--runtime=simulated", `--audit-policy-file=${policy}`, `--audit-log-path=${log}`);
  t.after(() => command.stop());
  await using client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
  const events = (): AuditEvent[] =>
    readFileSync(log, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  const isReady = async (): Promise<boolean> =>
    (await client.resource(nodes).list()).items.some(
      ({ spec, status }) =>
        (spec?.taints ?? []).length === 0 && status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
    );
  await waitUntil("the node is ready", isReady);
  await waitUntil("Pods may be made", async () => (await client.resource(serviceAccounts, "default").list()).items.length > 0);
  const labels = { app: "web" };
  const spec = {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } },
  };
  await client.resource(deployments, "default").create({ metadata: { name: "web" }, spec });
  const said = (): AuditEvent[] => events().filter(isOfDeployment);
  await waitUntil("the Pod has started, and everybody has said so", async () => {
    const { status } = await client.resource(deployments, "default").get("web");
    return status?.availableReplicas === 1 && said().filter((one) => callOf(one) === "kubelet create events").length === 4;
  });
  const counts = Object.groupBy(said(), callOf);
  for (const [call, made = []] of Object.entries(counts)) assert.ok(made.length <= (there[call] ?? 0), `${made.length} times ${call}`);
  const compared = said().filter((one) => callOf(one) !== "kubelet create events");
  const bytes = compared.reduce(
    (sum, { requestObject }) => sum + (requestObject === undefined ? 0 : JSON.stringify(requestObject).length),
    0,
  );
  assert.ok(bytes <= bytesThere, `${bytes} bytes`);
  const withManagedFields = said().filter(({ requestObject }) => requestObject?.metadata?.managedFields !== undefined);
  assert.deepEqual(withManagedFields.map(callOf), []);
});
