/** Images as volumes, and the rest of a Pod's life, with a containerd that has both. @see https://kep.k8s.io/4639 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { coreV1 } from "@coxswain/api";
import { nodes } from "@coxswain/client";
import { hangMs } from "@coxswain/machinery/testing";
import { builtContainerd } from "../containerd/built-containerd.ts";
import { fetched } from "../containerd/fetched.ts";
import { images } from "../containerd/images.ts";
import { buildImage, type Image, writeLayout } from "../containerd/oci-layout.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { startRegistry } from "../containerd/registry.ts";
import { type ContainerOf, hasEnded, isReady, mainOf, pod, script } from "./manifests.ts";
import type { Pod } from "./real-cluster.ts";
import { withRealCluster } from "./with-cluster.ts";

// Where modules come from is not to be reached from a network of one's own.
const containerd = await builtContainerd();
if ("program" in containerd) enterPrivateNetwork({ containerd: containerd.program });
const options = "missing" in containerd ? { missing: containerd.missing } : {};

const waits =
  (reason: string) =>
  (seen: Pod): boolean =>
    mainOf(seen)?.state?.waiting?.reason === reason;
const waitsFor = (seen: Pod): string => mainOf(seen)?.state?.waiting?.message ?? "";

/** What only volumes have: no program, and no user. */
function dataImage(name: string, files: Readonly<Record<string, string>>): Image {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-data-"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content, { mode: 0o755 });
  }
  const image = buildImage({ name, layers: [folder] });
  rmSync(folder, { recursive: true });
  return image;
}

const data = dataImage("coxswain.test/data:1", {
  greeting: "hello\n",
  "deep/inside": "within\n",
  "reader/own": "for the reader\n",
  run: "#!/bin/sh\necho ran\n",
});

/** A container, and what its Pod has besides. */
type Mounting = readonly [ContainerOf, { readonly volumes: coreV1.Volume[] }];

withRealCluster(
  "images as volumes of real containers",
  1,
  (cluster) => {
    const mounting = (text: string, reference: string, mounts: readonly object[] = [{}], more: ContainerOf = {}): Mounting => {
      const volumeMounts = mounts.map((mount) => ({ name: "data", mountPath: "/data", ...mount }));
      const container = { image: images.shell, ...script(text), volumeMounts, ...more };
      return [container, { volumes: [{ name: "data", image: { reference } }] }];
    };
    // Under a name that nothing was pulled by: what a Pod has pulled is for those that may pull it, too.
    const importImage = (image: Image): void => {
      const { ctr, folder } = cluster().containerd;
      ctr("images", "import", writeLayout([image], mkdtempSync(join(folder, "imported-"))));
    };

    test("the node has the containerd that was built", async () => {
      const node = await cluster().client.resource(nodes).get("real");
      assert.match(node.status?.nodeInfo?.containerRuntimeVersion ?? "", /^containerd:\/\/v?2\./);
    });

    test("all of an image, a part of it and one by name are there to be read, and not to be written", async () => {
      const { apply, podOnce, endedLogs } = cluster();
      await using registry = await startRegistry([data]);
      const text =
        "cat /data/greeting /part/inside /own/own; for at in /data /part /own; do (echo x >$at/x) 2>/dev/null || echo read-only; done";
      const mounts = [{}, { mountPath: "/part", subPath: "deep" }, { mountPath: "/own", subPathExpr: "$(POD)" }];
      const env = [{ name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }];
      const [container, spec] = mounting(text, registry.name(data), mounts, { env });
      await apply(pod("reader", container, { ...spec, restartPolicy: "Never" }));
      const ended = await podOnce("reader", hasEnded);
      assert.equal(ended.status?.phase, "Succeeded");
      const written = ["read-only", "read-only", "read-only"];
      assert.deepEqual((await endedLogs("reader")).trimEnd().split("\n"), ["hello", "within", "for the reader", ...written]);
    });

    test("a part that the image does not have is an error of the container", async () => {
      const { apply, podOnce, kubectl } = cluster();
      await using registry = await startRegistry([data]);
      await apply(pod("partless", ...mounting("sleep 3600", registry.name(data), [{ subPath: "missing" }])));
      assert.match(waitsFor(await podOnce("partless", waits("CreateContainerError"))), /ImageVolumeMountFailed.*missing/);
      await kubectl("delete pod partless --grace-period=1");
    });

    test("a container waits for an image that is nowhere, and starts when it is there", async () => {
      const { apply, podOnce, eventOnce, kubectl } = cluster();
      await using registry = await startRegistry([]);
      const late = dataImage(`${registry.host}/late:1`, { greeting: "at last\n" });
      await apply(pod("waiting", ...mounting("cat /data/greeting; sleep 3600", late.name)));
      assert.match(waitsFor(await podOnce("waiting", waits("ErrImagePull"))), /failed to pull and unpack image .*late:1.*not found/);
      assert.match(waitsFor(await podOnce("waiting", waits("ImagePullBackOff"))), /^Back-off pulling image ".*late:1": ErrImagePull: /);
      assert.match((await eventOnce("waiting", "Failed", /^Failed to pull image/)).message ?? "", /late:1/);
      await eventOnce("waiting", "Failed", /^Error: ErrImagePull$/);
      importImage(late);
      const running = await podOnce("waiting", isReady);
      assert.equal(mainOf(running)?.restartCount, 0);
      assert.equal(await kubectl("exec waiting -- cat /data/greeting"), "at last\n");
    });

    test("an image that a registry gives only to those it knows is pulled with the secrets of the Pod", async () => {
      const { apply, podOnce, kubectl } = cluster();
      const secret = dataImage("coxswain.test/secret:1", { greeting: "psst\n" });
      await using registry = await startRegistry([secret], { credentials: "somebody:secret" });
      const account = ["--docker-username=somebody", "--docker-password=secret", `--docker-server=${registry.host}`];
      await kubectl(["create", "secret", "docker-registry", "account", ...account]);
      const [container, spec] = mounting("sleep 3600", registry.name(secret));
      await apply(pod("unknown", container, spec), pod("known", container, { ...spec, imagePullSecrets: [{ name: "account" }] }));
      await podOnce("known", isReady);
      assert.equal(await kubectl("exec known -- cat /data/greeting"), "psst\n");
      await podOnce("unknown", waits("ErrImagePull"));
    });

    test("a volume that no container mounts may have an image that is nowhere", async () => {
      const { apply, podOnce } = cluster();
      await using registry = await startRegistry([]);
      const [container, spec] = mounting("sleep 3600", `${registry.host}/nowhere:1`, []);
      await apply(pod("indifferent", container, spec));
      await podOnce("indifferent", isReady);
    });

    test("the image is there again in a container that is started again, and counts as used", async () => {
      const { apply, podOnce, kubectl, containerd } = cluster();
      const kept = dataImage("coxswain.test/again:1", { greeting: "again\n" });
      importImage(kept);
      const text = "cat /data/greeting; [ -e /kept/once ] || { touch /kept/once; exit 1; }; sleep 3600";
      const [container, { volumes }] = mounting(text, kept.name, [{}, { name: "kept", mountPath: "/kept" }]);
      await apply(pod("again", container, { volumes: [...volumes, { name: "kept", emptyDir: {} }] }));
      await podOnce("again", (seen) => isReady(seen) && mainOf(seen)?.restartCount === 1);
      assert.equal(await kubectl("exec again -- cat /data/greeting"), "again\n");
      const signal = AbortSignal.timeout(hangMs);
      const image = await containerd.runtime.imageStatus(kept.name, signal);
      const all = await containerd.runtime.listContainers(signal);
      const mounts = all.find(({ pod: { name }, state }) => name === "again" && state === "running")?.mounts;
      assert.equal(mounts?.find(({ containerPath }) => containerPath === "/data")?.image, image?.id);
    });

    test("Pods without such volumes run, answer probes, write logs, take commands and restart", async () => {
      const { apply, podOnce, kubectl, endedLogs } = cluster();
      const readinessProbe = { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 };
      await apply(pod("web", { image: images.web1, readinessProbe }), pod("crashing", { image: images.crash }));
      const web = await podOnce("web", isReady);
      assert.equal(await fetched(`http://${web.status?.podIP}:8080/`), "version 1\n");
      assert.equal(await kubectl(["exec", "web", "--", "sh", "-c", "echo $HOSTNAME; exit 0"]), "web\n");
      const crashed = await podOnce("crashing", (seen) => (mainOf(seen)?.restartCount ?? 0) >= 1);
      assert.equal(mainOf(crashed)?.lastState?.terminated?.exitCode, 3);
      assert.equal(await endedLogs("crashing --previous"), "crashing\n");
      assert.match(await kubectl("get pods -o wide"), /web +1\/1 +Running/);
    });

    test("killed with kill -9 and started again, the kubelet leaves such containers alone, and makes others", async () => {
      const { apply, podOnce, kubectl, killAndStart } = cluster();
      const kept = dataImage("coxswain.test/kept:1", { greeting: "kept\n" });
      importImage(kept);
      await apply(pod("kept", ...mounting("sleep 3600", kept.name)));
      const before = await podOnce("kept", isReady);
      await killAndStart();
      await cluster().apply(pod("next", ...mounting("sleep 3600", kept.name)));
      await cluster().podOnce("next", isReady);
      const after = await cluster().podOnce("kept", isReady);
      assert.deepEqual(mainOf(after)?.containerID, mainOf(before)?.containerID);
      assert.equal(await kubectl("exec kept -- cat /data/greeting"), "kept\n");
    });
  },
  options,
);
