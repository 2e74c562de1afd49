/** What cannot run is reported, retried at its time, and leaves nothing behind. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { coreV1 } from "@coxswain/api";
import { nodes } from "@coxswain/client";
import { hangMs } from "@coxswain/machinery/testing";
import { waitFor } from "coxswain/testing";
import { fetched } from "../containerd/fetched.ts";
import { images } from "../containerd/images.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { startRegistry } from "../containerd/registry.ts";
import { hasEnded, isReady, mainOf, pod, script } from "./manifests.ts";
import { type Pod, startRealCluster, whyNoRealCluster } from "./real-cluster.ts";
import { withRealCluster } from "./with-cluster.ts";

enterPrivateNetwork();

const waits = (reason: string) => (seen: Pod) => mainOf(seen)?.state?.waiting?.reason === reason;

withRealCluster("Pods that cannot run", 4, (cluster) => {
  test("a Secret that is missing", async () => {
    const { apply, podOnce, eventOnce, kubectl, endedLogs } = cluster();
    const env = [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: "nowhere", key: "password" } } }];
    await apply(pod("secretive", { image: images.shell, ...script("echo $PASSWORD"), env }, { restartPolicy: "Never" }));
    const waiting = await podOnce("secretive", waits("CreateContainerConfigError"));
    assert.equal(mainOf(waiting)?.state?.waiting?.message, 'secret "nowhere" not found');
    assert.equal((await eventOnce("secretive", "Failed")).message, 'Error: secret "nowhere" not found');
    await kubectl("create secret generic nowhere --from-literal=password=found");
    await podOnce("secretive", hasEnded);
    assert.equal(await endedLogs("secretive"), "found\n");
  });

  test("a volume whose ConfigMap is missing", async () => {
    const { apply, podOnce, eventOnce, kubectl } = cluster();
    const volumes = [{ name: "settings", configMap: { name: "missing" } }];
    const volumeMounts = [{ name: "settings", mountPath: "/settings" }];
    await apply(pod("unmounted", { image: images.web1, volumeMounts }, { volumes }));
    assert.match(
      (await eventOnce("unmounted", "FailedMount")).message ?? "",
      /MountVolume\.SetUp failed for volume "settings" : configmap "missing" not found/,
    );
    await podOnce("unmounted", waits("ContainerCreating"));
    await kubectl("create configmap missing --from-literal=a=b");
    await podOnce("unmounted", isReady);
  });

  test("an image that no registry has", async () => {
    const { apply, podOnce, eventOnce } = cluster();
    await using registry = await startRegistry([]);
    const image = `${registry.host}/nothing:1`;
    await apply(pod("imageless", { image }));
    const failed = await podOnce("imageless", waits("ErrImagePull"));
    assert.match(mainOf(failed)?.state?.waiting?.message ?? "", /failed to pull and unpack image .*nothing:1.*not found/);
    const waiting = await podOnce("imageless", waits("ImagePullBackOff"));
    assert.match(mainOf(waiting)?.state?.waiting?.message ?? "", /^Back-off pulling image ".*nothing:1"/);
    assert.match((await eventOnce("imageless", "BackOff")).message ?? "", /^Back-off pulling image/);
  });

  test("an image that a registry gives only to those it knows", async () => {
    const { apply, podOnce, kubectl, containerd } = cluster();
    await using registry = await startRegistry(containerd.images, { credentials: "somebody:secret" });
    const image = registry.name(containerd.images.find(({ name }) => name === images.web2)!);
    const account = ["--docker-username=somebody", "--docker-password=secret", `--docker-server=${registry.host}`];
    await kubectl(["create", "secret", "docker-registry", "account", ...account]);
    await apply(pod("unknown", { image }), pod("known", { image }, { imagePullSecrets: [{ name: "account" }] }));
    const running = await podOnce("known", isReady);
    assert.equal(await fetched(`http://${running.status?.podIP}:8080/`), "version 2\n");
    const refused = await podOnce("unknown", waits("ErrImagePull"));
    assert.match(
      mainOf(refused)?.state?.waiting?.message ?? "",
      /failed to pull and unpack image .*(401 Unauthorized|authorization failed)/,
    );
  });

  test("an image whose name is none", async () => {
    const { apply, podOnce, eventOnce } = cluster();
    await apply(pod("nameless", { image: "NO/such//name" }));
    await podOnce("nameless", waits("InvalidImageName"));
    await eventOnce("nameless", "InspectFailed");
  });

  test("an image that must not be pulled", async () => {
    const { apply, podOnce, eventOnce } = cluster();
    await apply(pod("never", { image: "coxswain.test/absent:1", imagePullPolicy: "Never" }));
    await podOnce("never", waits("ErrImageNeverPull"));
    assert.match(
      (await eventOnce("never", "ErrImageNeverPull")).message ?? "",
      /^Container image "coxswain.test\/absent:1" is not present with pull policy of Never/,
    );
  });

  test("a command that is not there", async () => {
    const { apply, podOnce } = cluster();
    await apply(pod("commandless", { image: images.shell, command: ["/nothing"] }, { restartPolicy: "Never" }));
    const ended = await podOnce("commandless", hasEnded);
    const { exitCode, reason, message } = mainOf(ended)?.state?.terminated ?? {};
    assert.deepEqual({ exitCode, reason }, { exitCode: 128, reason: "StartError" });
    assert.match(message ?? "", /no such file or directory/);
  });

  test("a user that must not be root, and is", async () => {
    const { apply, podOnce } = cluster();
    await apply(pod("root", { image: images.web1, securityContext: { runAsNonRoot: true } }));
    const waiting = await podOnce("root", waits("CreateContainerConfigError"));
    assert.match(mainOf(waiting)?.state?.waiting?.message ?? "", /^container has runAsNonRoot and image will run as root/);
  });

  test("a RuntimeClass whose handler the runtime does not know, beside one that it does", async () => {
    const { apply, podOnce, eventOnce, kubectl } = cluster();
    const runtimeClass = (name: string, handler: string) => ({
      apiVersion: "node.k8s.io/v1",
      kind: "RuntimeClass",
      metadata: { name },
      handler,
    });
    await apply(runtimeClass("unknown", "other"), runtimeClass("known", "runc"));
    await apply(
      pod("classed", { image: images.web1 }, { runtimeClassName: "known" }),
      pod("declassed", { image: images.web1 }, { runtimeClassName: "unknown" }),
    );
    await podOnce("classed", isReady);
    await eventOnce("declassed", "FailedCreatePodSandBox", /no runtime for "other" is configured/);
    await podOnce("declassed", waits("ContainerCreating"));
    await kubectl("delete runtimeclasses known unknown");
  });

  test("more than the node has", async () => {
    const { apply, podOnce, eventOnce } = cluster();
    await apply(pod("huge", { image: images.web1, resources: { requests: { memory: "100Ti" } } }));
    const waiting = await podOnce("huge", ({ status }) => status?.conditions?.some(({ reason }) => reason === "Unschedulable") === true);
    assert.equal(waiting.status?.phase, "Pending");
    assert.match((await eventOnce("huge", "FailedScheduling")).message ?? "", /^0\/1 nodes are available: 1 Insufficient memory\./);
  });

  test("no tight loop: what fails is asked for a few times, not all the time", async () => {
    const { apply, podOnce, client, log } = cluster();
    await apply(pod("again", { image: "coxswain.test/absent:2", imagePullPolicy: "Never" }));
    const seen = await podOnce("again", waits("ErrImageNeverPull"));
    await delay(3_000);
    const later = await podOnce("again", () => true);
    assert.equal(later.metadata?.resourceVersion, seen.metadata?.resourceVersion);
    assert.ok(client !== undefined && log().length < 100_000);
  });
});

test("a node without a network for Pods runs those that use its own", { skip: whyNoRealCluster() ?? false, timeout: hangMs }, async () => {
  await using cluster = await startRealCluster();
  const configuration = join(cluster.containerd.folder, "net.d", "10-pods.conflist");
  const network = readFileSync(configuration);
  rmSync(configuration);
  const problem = /^container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:/;
  const isUnready = (node: coreV1.Node) =>
    node.status?.conditions?.some(({ type, message }) => type === "Ready" && problem.test(message ?? "")) === true;
  await waitFor(cluster.client, { ref: nodes, target: "real", until: isUnready });
  const tolerations = [{ operator: "Exists" as const }];
  await cluster.apply(
    pod("on-host", { image: images.web1 }, { tolerations, hostNetwork: true }),
    pod("waiting", { image: images.web2, ports: [{ containerPort: 8080 }] }, { tolerations }),
  );
  await cluster.podOnce("on-host", isReady);
  await cluster.eventOnce("waiting", "NetworkNotReady", new RegExp(`^network is not ready: ${problem.source.slice(1)}`));
  writeFileSync(configuration, network);
  await cluster.podOnce("waiting", isReady);
  await cluster.kubectl("delete pods --all --wait=true");
});

test("a full disk: a container that cannot start is reported, running ones continue", {
  skip: whyNoRealCluster() ?? false,
  timeout: hangMs,
}, async (t) => {
  const folder = temporaryFolder(t);
  assert.equal(spawnSync("mount", ["-t", "tmpfs", "-o", "size=160m", "tmpfs", folder]).status, 0);
  const more = ["--eviction-hard", "memory.available<1Mi", "--data-dir", temporaryFolder(t)];
  await using cluster = await startRealCluster({ folder, more });
  await cluster.apply(pod("before", { image: images.web1 }));
  const before = await cluster.podOnce("before", isReady);
  const filler = join(folder, "filler");
  spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=1M"]);
  await cluster.apply(pod("during", { image: images.web1 }));
  const recorded = await cluster.eventOnce("during", /^Failed/);
  assert.match(recorded.message ?? "", /no space left on device/);
  assert.equal((await cluster.podOnce("during", () => true)).status?.phase, "Pending");
  assert.equal(await fetched(`http://${before.status?.podIP}:8080/`), "version 1\n");
  rmSync(filler);
  await cluster.podOnce("during", isReady);
  assert.equal(mainOf(await cluster.podOnce("before", isReady))?.restartCount, 0);
  await cluster.kubectl("delete pods --all --wait=true");
});

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-full-"));
  t.after(() => {
    spawnSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
