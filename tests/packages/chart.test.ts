/** The Helm chart: a control plane inside a cluster, which is one of ours. */
import assert from "node:assert/strict";
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { configMaps, nodes, persistentVolumes, pods } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { hangMs } from "@coxswain/machinery/testing";
import { waitFor } from "coxswain/testing";
import { imageDir, imagePath } from "../../scripts/build/image/build-image.ts";
import { root } from "../../scripts/checks/tree.ts";
import { run } from "../conformance/client-program.ts";
import { startCommand } from "../conformance/command-under-test.ts";
import { binary } from "../kubelet/containerd/why-no-containers.ts";
import { startRealCluster, whyNoRealCluster } from "../kubelet/real-containers/real-cluster.ts";
import { buildOnce } from "./built.ts";
import { installedHelm } from "./installed-helm.ts";

const chart = join(root, "deploy/chart");

let helm: string | undefined;
let missing = "";
const folder = mkdtempSync(join(tmpdir(), "coxswain-helm-"));
after(() => rmSync(folder, { recursive: true, force: true }));
before(async () => {
  const found = await installedHelm();
  if ("missing" in found) missing = found.missing;
  else helm = found.program;
});

/** What Helm printed. @throws with what it printed when it fails */
async function runHelm(args: readonly string[], kubeconfig = "/dev/null"): Promise<string> {
  const env = { KUBECONFIG: kubeconfig, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
  const { code, stdout, stderr } = await run(helm ?? "helm", args, { env, timeoutMs: hangMs });
  assert.equal(code, 0, stdout + stderr);
  return stdout;
}

test("the chart is well-formed, whatever of it is used", async (t) => {
  if (helm === undefined) return t.skip(missing);
  for (const settings of [
    [],
    ["persistence.enabled=false", "nodes=0"],
    ["persistence.existingClaim=mine", "extraSans={api.example,192.0.2.1}"],
  ]) {
    const set = settings.flatMap((setting) => ["--set", setting]);
    await runHelm(["lint", "--strict", chart, ...set]);
    const rendered = await runHelm(["template", "team-a", chart, "--namespace=team-a", ...set]);
    for (const text of [
      "readOnlyRootFilesystem: true",
      "runAsNonRoot: true",
      "automountServiceAccountToken: false",
      "team-a-coxswain.team-a.svc,",
    ])
      assert.ok(rendered.includes(text), text);
    assert.equal(rendered.includes("volumeClaimTemplates"), settings.length === 0);
    assert.equal(rendered.includes("--no-node"), settings.includes("nodes=0"));
    assert.equal(rendered.includes("svc.cluster.local,api.example,192.0.2.1"), settings.length === 2 && settings[1] !== "nodes=0");
  }
});

test("it installs on simulated nodes, keeps its claim through an upgrade, and goes", async (t) => {
  if (helm === undefined) return t.skip(missing);
  const command = await startCommand("--ephemeral", "--runtime=simulated");
  t.after(() => command.stop());
  await using client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
  await client.resource(persistentVolumes).create(volume("/data"));
  const release = ["team-a", chart, "--wait", "--timeout=60s"];
  await runHelm(["install", ...release], command.kubeconfig);
  await waitFor(client, { ref: pods, target: "team-a-coxswain-0", until: "condition=Ready" });
  await runHelm(["upgrade", ...release, "--set", "nodes=5"], command.kubeconfig);
  const { spec } = await client.resource(pods, "default").get("team-a-coxswain-0");
  assert.ok(spec?.containers[0]?.args?.includes("--nodes=5"));
  await runHelm(["uninstall", "team-a", "--wait"], command.kubeconfig);
});

test("its control plane serves clients of the cluster, from a volume, under the names of the Service", {
  skip: ["apt-get", "dpkg-deb"].some((program) => binary(program) === undefined) ? "no image without apt" : (whyNoRealCluster() ?? false),
}, async (t: TestContext) => {
  if (helm === undefined) return t.skip(missing);
  await buildOnce({ folder: imageDir, args: ["--image"], files: [imagePath] });
  await using cluster = await startRealCluster({
    isNetworkShared: true,
    more: ["--disable-kube-proxy", "--disable-cluster-dns", "--disable-network-policy"],
  });
  cluster.containerd.ctr("images", "import", imagePath);
  const data = join(cluster.containerd.folder, "team-a");
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, 65_532, 65_532);
  await cluster.apply(volume(data));
  const kubeconfig = String(cluster.env.KUBECONFIG);
  await runHelm(["install", "team-a", chart, "--wait", "--timeout=60s", "--set", "nodes=2"], kubeconfig);
  const pod = await cluster.podOnce("team-a-coxswain-0", ({ status }) => status?.podIP !== undefined);
  const inner = join(cluster.containerd.folder, "inner");
  const print = async (server: string): Promise<string> =>
    await cluster.kubectl(["exec", "team-a-coxswain-0", "--", "coxswain", "kubeconfig", `--server=${server}`]);
  writeFileSync(inner, await print(`https://${pod.status?.podIP}:6443`));
  {
    await using client = await clientFromKubeconfig({ paths: [inner] });
    await waitFor(client, { ref: nodes, target: "node-2", until: "condition=Ready" });
    await client.resource(configMaps, "default").create({ metadata: { name: "kept" } });
  }
  // There is no kube-proxy: the Service's name is that of the certificate, its address the Pod's.
  const named = (await print(`https://${pod.status?.podIP}:6443`)).replace(
    /^( *)server:/m,
    "$1tls-server-name: team-a-coxswain.default.svc\n$1server:",
  );
  writeFileSync(inner, named);
  await cluster.kubectl(["delete", "pod", "team-a-coxswain-0", "--wait=true"]);
  const next = await cluster.podOnce(
    "team-a-coxswain-0",
    ({ metadata, status }) => metadata?.uid !== pod.metadata?.uid && isReady(status?.conditions),
  );
  writeFileSync(inner, named.replaceAll(String(pod.status?.podIP), String(next.status?.podIP)));
  await using client = await clientFromKubeconfig({ paths: [inner] });
  assert.equal((await client.resource(configMaps, "default").get("kept")).metadata?.name, "kept");
  await runHelm(["uninstall", "team-a", "--wait"], kubeconfig);
});

const isReady = (conditions: readonly { readonly type: string; readonly status: string }[] = []): boolean =>
  conditions.some(({ type, status }) => type === "Ready" && status === "True");

/** What somebody who runs a cluster has: no class, any claim. */
const volume = (path: string) => ({
  apiVersion: "v1" as const,
  kind: "PersistentVolume" as const,
  metadata: { name: "team-a" },
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path } },
});
