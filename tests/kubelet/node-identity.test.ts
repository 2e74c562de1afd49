/** `coxswain kubelet` as a node and nothing more: it joins by a bootstrap token, and needs no right that Kubernetes gives no node. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { mainFile, startCommand } from "../conformance/command-under-test.ts";
import { allowJoining, bindings, kubectlOf, startKubelet } from "./joining.ts";

async function startCluster(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), "coxswain-node-identity-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const command = await startCommand(
    "--data-dir",
    dataDir,
    "--enable-bootstrap-token-auth",
    "--controllers=csrapproving,serviceaccount,root-ca-cert-publisher",
  );
  t.after(() => command.stop());
  const authority = join(dataDir, "pki", "ca.crt");
  return { command, kubectl: kubectlOf(command), authority, bootstrap: allowJoining(command, authority) };
}

for (const runtime of ["simulated", "process"]) {
  test(`a ${runtime} node joins by a bootstrap token and works as itself`, { timeout: hangMs }, async (t) => {
    const { command, kubectl, authority, bootstrap } = await startCluster(t);
    const [kubeconfig, rootDir] = [join(command.directory, "kubelet.conf"), join(command.directory, "kubelet")];
    const options = ["--kubeconfig", kubeconfig, "--bootstrap-kubeconfig", bootstrap, "--root-dir", rootDir, "--rotate-certificates"];
    const asOne = [...options, `--runtime=${runtime}`, "--node-name=one", "--client-ca-file", authority];
    const first = startKubelet(t, ...asOne);
    await waitUntil("the node is ready", () => kubectl("get", "node", "one").includes(" Ready "));
    const [join1] = kubectl(
      "get",
      "csr",
      "-o",
      "jsonpath={range .items[*]}{.spec.signerName} {.spec.username} {.status.conditions[*].reason}{'\\n'}{end}",
    )
      .split("\n")
      .filter((line) => line.includes("kube-apiserver-client-kubelet"));
    assert.equal(join1, "kubernetes.io/kube-apiserver-client-kubelet system:bootstrap:abcdef AutoApproved");
    assert.equal(kubectl("auth", "whoami", "--kubeconfig", kubeconfig, "-o", "jsonpath={.status.userInfo.username}"), "system:node:one");

    kubectl("create", "secret", "generic", "mounted", "--from-literal=a=b");
    await waitUntil("there is a service account", () => kubectl("get", "serviceaccount", "default", "-o", "name").endsWith("/default"));
    const container = {
      name: "main",
      image: "busybox",
      command: ["sh", "-c", "echo $a; sleep 1000"],
      envFrom: [{ secretRef: { name: "mounted" } }],
    };
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { nodeName: "one", terminationGracePeriodSeconds: 1, containers: [container] },
    };
    writeFileSync(join(command.directory, "pod.json"), JSON.stringify(pod));
    kubectl("apply", "-f", join(command.directory, "pod.json"));
    await waitUntil("the Pod runs", () => kubectl("get", "pod", "p", "-o", "jsonpath={.status.phase}") === "Running");

    assert.match(kubectl("exec", "p", "--", "echo", "hello"), /certificate/, "the kubelet has signed its own certificate");
    const serving = kubectl("get", "csr", "-o", "jsonpath={.items[?(@.spec.signerName=='kubernetes.io/kubelet-serving')].metadata.name}");
    assert.match(kubectl("certificate", "approve", serving), /approved/);
    await waitUntil("the kubelet serves with it", () => kubectl("exec", "p", "--", "echo", "hello") === "hello");

    kubectl("create", "secret", "generic", "private", "--from-literal=a=b");
    assert.match(kubectl("get", "secret", "mounted", "-o", "name", "--kubeconfig", kubeconfig), /secret\/mounted/);
    assert.match(kubectl("get", "secret", "private", "--kubeconfig", kubeconfig), /User "system:node:one" cannot get/);
    assert.match(kubectl("get", "secrets", "--kubeconfig", kubeconfig), /User "system:node:one" cannot list/);

    await first.end();
    const second = startKubelet(t, ...asOne);
    await waitUntil("the node goes on", () => second.log().includes('"msg":"nodes ready"'));
    assert(!second.log().includes("requesting a client certificate"), second.log());
    assert.equal(kubectl("exec", "p", "--", "echo", "hello"), "hello", "the kubelet serves with the certificate of before");
    kubectl("delete", "pod", "p");
    await second.end();
  });
}

test("a node joins by the printed command, where the server has the authority that it names", { timeout: hangMs }, async (t) => {
  const { command, kubectl } = await startCluster(t);
  for (const name of Object.keys(bindings)) kubectl("delete", "clusterrolebinding", name);
  const token = (...args: readonly string[]) => {
    const { stdout, stderr } = spawnSync(process.execPath, [mainFile, "token", ...args, "--kubeconfig", command.kubeconfig], {
      encoding: "utf8",
    });
    return `${stderr}${stdout}`;
  };
  const [warning, printed = ""] = token("create", "--print-join-command", "--ttl=1h", "--description", "for the test").split("\n");
  assert.equal(warning, `coxswain: only this machine reaches ${command.server}; for another, name the server's address with --server`);
  const args = printed.split(" ").slice(2);
  assert.match(printed, /^coxswain kubelet --server=https:\S+ --token=\S{23} --discovery-token-ca-cert-hash=sha256:[0-9a-f]{64}$/);
  const [id = "", secret = ""] = /--token=(\w{6})\.(\w{16})/.exec(printed)?.slice(1) ?? [];
  assert.match(
    token("list"),
    new RegExp(
      `^${id}\\.${secret} +59m +\\S+Z +authentication,signing +for the test +system:bootstrappers:kubeadm:default-node-token$`,
      "m",
    ),
  );
  const rootDir = join(command.directory, "kubelet");
  const here = ["--runtime=simulated", "--node-name=joined", "--root-dir", rootDir];

  const digits = "0".repeat(64);
  const other = args.map((one) => one.replace(/sha256:.*/, `sha256:${digits}`));
  const refused = spawnSync(process.execPath, [mainFile, "kubelet", ...other, ...here], { encoding: "utf8" });
  assert.match(refused.stderr, new RegExp(`has sent no certificate of an authority with the hash sha256:${digits}`));
  assert.equal(refused.status, 1);

  const first = startKubelet(t, ...args, ...here);
  await waitUntil("the node is ready", () => kubectl("get", "node", "joined").includes(" Ready "));
  assert.equal(
    kubectl("auth", "whoami", "--kubeconfig", join(rootDir, "kubeconfig"), "-o", "jsonpath={.status.userInfo.username}"),
    "system:node:joined",
  );
  await first.end();

  assert.equal(token("delete", id), `bootstrap token "${id}" deleted\n`);
  assert.equal(token("delete", id), `coxswain: there is no token with the id ${id}\n`);
  const second = startKubelet(t, ...args, ...here);
  await waitUntil("the node goes on without the token", () => second.log().includes('"msg":"nodes ready"'));
  await second.end();
});

test("a token that the server does not accept is said to be so", { timeout: hangMs }, async (t) => {
  const command = await startCommand("--apiserver-only");
  t.after(() => command.stop());
  const args = ["token", "create", "--kubeconfig", command.kubeconfig];
  const { stdout, stderr } = spawnSync(process.execPath, [mainFile, ...args], { encoding: "utf8" });
  assert.match(stdout, /^[a-z0-9]{6}\.[a-z0-9]{16}\n$/);
  assert.equal(stderr, "coxswain: the server does not accept the token; start it with --enable-bootstrap-token-auth\n");
});
