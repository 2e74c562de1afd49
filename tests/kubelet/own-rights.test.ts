/** What the parts of a command with simulated nodes may read: no Secrets but those of Pods on the node that asks. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { startCommand } from "../conformance/command-under-test.ts";

const account = (name: string) => [`--as=system:serviceaccount:kube-system:${name}`, "--as-group=system:serviceaccounts"];
const node = (name: string) => [`--as=system:node:${name}`, "--as-group=system:nodes"];

const pod = JSON.stringify({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: { nodeName: "node-1", containers: [{ name: "c", image: "i", envFrom: [{ secretRef: { name: "mounted" } }] }] },
});

test("simulated nodes and what goes with them have no more rights than in Kubernetes", async (t) => {
  const command = await startCommand("--ephemeral", "--runtime=simulated", "--nodes=2");
  t.after(() => command.stop());
  const kubectl = (args: readonly string[], input = ""): string => {
    const { stdout, stderr } = spawnSync("kubectl", [...args, "--kubeconfig", command.kubeconfig], { encoding: "utf8", input });
    return `${stdout}${stderr}`.trim();
  };
  const mayDo = (verb: string, what: string, who: readonly string[]): boolean =>
    kubectl(["auth", "can-i", verb, what, ...who]).startsWith("yes");
  for (const name of ["mounted", "private"]) kubectl(["create", "secret", "generic", name, "--from-literal=a=b"]);
  await waitUntil("there is a service account", () => kubectl(["get", "serviceaccount", "default", "-o", "name"]).endsWith("/default"));
  kubectl(["apply", "-f", "-"], pod);
  await waitUntil("the Pod runs", () => kubectl(["get", "pod", "p", "-o", "jsonpath={.status.phase}"]) === "Running");

  for (const who of [account("simulated-nodes"), account("metrics-server"), ["--as=kube-apiserver-kubelet-client"]]) {
    for (const verb of ["get", "list", "watch"]) assert.equal(mayDo(verb, "secrets", who), false, `${who[0]} ${verb}`);
    for (const what of ["clusterroles", "rolebindings", "pods", "nodes"])
      assert.equal(mayDo("update", what, who), false, `${who[0]} ${what}`);
  }
  assert.equal(mayDo("list", "pods", account("simulated-nodes")), true);
  assert.equal(mayDo("get", "secrets/mounted", node("node-1")), true);
  assert.equal(mayDo("get", "secrets/mounted", node("node-2")), false);
  assert.equal(mayDo("get", "secrets/private", node("node-1")), false);
  assert.equal(mayDo("list", "secrets", node("node-1")), false);
});
