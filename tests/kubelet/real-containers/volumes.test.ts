import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { hangMs } from "@coxswain/machinery/testing";
import { images } from "../containerd/images.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { hasEnded, isReady, mainOf, pod, script } from "./manifests.ts";
import { withRealCluster } from "./with-cluster.ts";

enterPrivateNetwork();

const never = { restartPolicy: "Never" };

withRealCluster("volumes of real containers", 3, (cluster) => {
  const run = async (name: string, text: string, container: object, spec: object): Promise<string[]> => {
    const { apply, podOnce, endedLogs } = cluster();
    await apply(pod(name, { image: images.shell, ...script(text), ...container }, { ...never, ...spec }));
    const { status } = await podOnce(name, hasEnded);
    const recorded = await endedLogs(name);
    assert.equal(status?.phase, "Succeeded", recorded);
    return recorded.trimEnd().split("\n");
  };

  test("files of Secrets, ConfigMaps and of the Pod itself are there, with their modes and their group", async () => {
    const { kubectl } = cluster();
    await kubectl("create secret generic hidden --from-literal=key=value");
    await kubectl("create configmap shown --from-literal=a=1 --from-literal=b=2");
    const volumes = [
      { name: "hidden", secret: { secretName: "hidden", defaultMode: 0o400 } },
      { name: "shown", configMap: { name: "shown", items: [{ key: "a", path: "deep/a" }] } },
      { name: "about", downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
      { name: "one", configMap: { name: "shown" } },
    ];
    const volumeMounts = [
      { name: "hidden", mountPath: "/hidden" },
      { name: "shown", mountPath: "/shown" },
      { name: "about", mountPath: "/about" },
      { name: "one", mountPath: "/etc/one", subPath: "b" },
    ];
    const printVolumes = [
      "cat /hidden/key; echo; stat -L -c '%a %g' /hidden/key; stat -f -c %T /hidden",
      "cat /shown/deep/a; echo; cat /about/name; echo; cat /etc/one; echo",
      "(echo x >/shown/x) 2>/dev/null || echo read-only; ls -a /shown | grep -c '^\\.\\.'",
    ].join("; ");
    const lines = await run("shows", printVolumes, { volumeMounts }, { volumes, securityContext: { fsGroup: 4321 } });
    assert.deepEqual(lines, ["value", "440 4321", "tmpfs", "1", "shows", "2", "read-only", "3"]);
  });

  test("room in memory has a size and is shared, room on disk outlives a restart", async () => {
    const { apply, podOnce, endedLogs } = cluster();
    const volumes = [
      { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
      { name: "disk", emptyDir: {} },
    ];
    const volumeMounts = [
      { name: "memory", mountPath: "/memory" },
      { name: "disk", mountPath: "/disk", subPathExpr: "$(POD)" },
    ];
    const env = [{ name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }];
    const text =
      "dd if=/dev/zero of=/memory/x bs=1k count=2048 2>/dev/null || echo full; echo once >>/disk/log; " +
      "if [ $(wc -l </disk/log) = 1 ]; then exit 1; fi; wc -l </disk/log; sleep 3600";
    const container = { image: images.shell, ...script(text), volumeMounts, env };
    await apply(pod("roomy", container, { volumes, restartPolicy: "Always" }));
    await podOnce("roomy", (seen) => isReady(seen) && mainOf(seen)?.restartCount === 1);
    await delay(500);
    assert.deepEqual((await endedLogs("roomy")).trimEnd().split("\n"), ["full", "2"]);
  });

  test("a container has the hosts file, name, user, groups and rights that its Pod says", async () => {
    const securityContext = { runAsUser: 1234, runAsGroup: 2345, fsGroup: 3456, supplementalGroups: [4567] };
    const own = { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
    const spec = { hostname: "named", subdomain: "sub", hostAliases: [{ ip: "1.2.3.4", hostnames: ["foo.example"] }], securityContext };
    const printVolumes =
      "id -u; id -g; id -G; hostname; grep -c foo.example /etc/hosts; grep CapEff /proc/self/status; touch /x 2>&1 | grep -o Read-only";
    const lines = await run("rightful", `${printVolumes}; exit 0`, { securityContext: own }, spec);
    assert.deepEqual(
      lines.map((line) => line.replaceAll("\t", " ")),
      ["1234", "2345", "2345 3456 4567", "named", "1", "CapEff: 0000000000000000", "Read-only"],
    );
  });

  test("an image is no volume where the containerd is too old for that, and the Pod says so", async (t) => {
    const { apply, eventOnce, podOnce, kubectl, containerd } = cluster();
    const { images: problem } = (await containerd.runtime.imageVolumes?.(AbortSignal.timeout(hangMs))) ?? {};
    if (problem === undefined) return t.skip("this containerd mounts images");
    const volumeMounts = [{ name: "data", mountPath: "/data" }];
    const volumes = [{ name: "data", image: { reference: images.web1 } }];
    await apply(pod("imaged", { image: images.shell, ...script("ls /data"), volumeMounts }, { ...never, volumes }));
    const { message = "" } = await eventOnce("imaged", "FailedMount");
    assert.match(
      message,
      /^MountVolume\.SetUp failed for volume "data" : image volumes need containerd 2\.1 or newer, and this node has containerd \S+$/,
    );
    await podOnce("imaged", (seen) => mainOf(seen)?.state?.waiting?.reason === "ContainerCreating");
    await kubectl("delete pod imaged --grace-period=1");
  });

  test("what leads out of a volume is not mounted", async () => {
    const { apply, podOnce, kubectl } = cluster();
    const volumes = [{ name: "v", emptyDir: {} }];
    const init = { name: "init", image: images.shell, ...script("ln -s / /v/root"), volumeMounts: [{ name: "v", mountPath: "/v" }] };
    const volumeMounts = [{ name: "v", mountPath: "/host", subPath: "root/etc" }];
    await apply(
      pod("escaping", { image: images.shell, ...script("ls /host"), volumeMounts }, { ...never, volumes, initContainers: [init] }),
    );
    const seen = await podOnce("escaping", (one) => mainOf(one)?.state?.waiting?.reason === "CreateContainerConfigError");
    assert.equal(mainOf(seen)?.state?.waiting?.message, 'failed to prepare subPath for volumeMount "v" of container "main"');
    await kubectl("delete pod escaping --grace-period=1");
  });
});
