/** A node that one server has admitted is the same to another: where they share an authority, its certificates count on each. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { makeServiceAccountKey } from "@coxswain/apiserver";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { type CommandUnderTest, startCommand } from "../conformance/command-under-test.ts";
import { opensslAuthority } from "../conformance/openssl.ts";
import { type EtcdUnderTest, startEtcd, whyNoEtcd } from "../etcd-server.ts";
import { allowJoining, kubectlOf, startKubelet } from "../kubelet/joining.ts";

suite("a node and two servers on one etcd", { skip: whyNoEtcd() ?? false, timeout: hangMs }, () => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-etcd-nodes-"));
  const at = (file: string): string => join(folder, file);
  let etcd: EtcdUnderTest;
  let servers: [CommandUnderTest, CommandUnderTest];

  before(async () => {
    etcd = await startEtcd();
    opensslAuthority(folder, "ca");
    writeFileSync(at("sa.key"), makeServiceAccountKey());
    const shared = [
      ...[`--etcd-servers=${etcd.url}`, "--enable-bootstrap-token-auth", `--service-account-signing-key-file=${at("sa.key")}`],
      ...[`--cluster-signing-cert-file=${at("ca.crt")}`, `--cluster-signing-key-file=${at("ca.key")}`],
      "--controllers=csrapproving,serviceaccount,root-ca-cert-publisher",
    ];
    const start = (i: number) => startCommand("--data-dir", at(`${i}`), `--advertise-address=192.0.2.${i}`, ...shared);
    servers = [await start(1), await start(2)];
  });
  after(async () => {
    for (const server of servers ?? []) await server.stop();
    await etcd[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("joins at the one, goes on at the other with the certificate of the one, and is reached through both", async (t) => {
    const [one, two] = servers.map(kubectlOf) as [ReturnType<typeof kubectlOf>, ReturnType<typeof kubectlOf>];
    const bootstrap = allowJoining(servers[0], at("ca.crt"));
    const kubeconfig = at("kubelet.conf");
    const node = ["--runtime=process", "--node-name=one", "--root-dir", at("kubelet"), "--client-ca-file", at("ca.crt")];
    const asOne = [...node, "--kubeconfig", kubeconfig, "--bootstrap-kubeconfig", bootstrap, "--rotate-certificates"];
    const first = startKubelet(t, ...asOne);
    await waitUntil("the node is ready", () => two("get", "node", "one").includes(" Ready "));
    await first.end();
    const certificate = readFileSync(at("kubelet/pki/kubelet-client-current.pem"), "utf8");

    writeFileSync(kubeconfig, readFileSync(kubeconfig, "utf8").replace(servers[0].server, servers[1].server));
    assert.equal(two("auth", "whoami", "--kubeconfig", kubeconfig, "-o", "jsonpath={.status.userInfo.username}"), "system:node:one");
    const second = startKubelet(t, ...asOne);
    await waitUntil("the node goes on", () => second.log().includes('"msg":"nodes ready"'));
    assert.equal(readFileSync(at("kubelet/pki/kubelet-client-current.pem"), "utf8"), certificate);

    const container = { name: "main", image: "busybox", command: ["sh", "-c", "sleep 1000"] };
    const spec = { nodeName: "one", terminationGracePeriodSeconds: 1, automountServiceAccountToken: false, containers: [container] };
    writeFileSync(at("pod.json"), JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec }));
    await waitUntil("there is a service account", () => one("get", "serviceaccount", "default", "-o", "name").endsWith("/default"));
    one("apply", "-f", at("pod.json"));
    await waitUntil("the Pod runs", () => one("get", "pod", "p", "-o", "jsonpath={.status.phase}") === "Running");
    const requests = two("get", "csr", "-o", "jsonpath={.items[?(@.spec.signerName=='kubernetes.io/kubelet-serving')].metadata.name}");
    assert.match(two("certificate", "approve", ...requests.split(" ")), /approved/);
    for (const kubectl of [one, two])
      await waitUntil(
        "the kubelet serves with what the authority has signed",
        () => kubectl("exec", "p", "--", "echo", "hello") === "hello",
      );
    two("delete", "pod", "p");
    await second.end();
  });
});
