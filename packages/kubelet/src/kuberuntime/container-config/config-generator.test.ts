import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { coreV1 } from "@coxswain/api";
import type { Container } from "../../pod/pod.ts";
import { podOf, withConfigs } from "./configs-under-test.ts";

const problems: readonly { name: string; container: Partial<Container>; spec?: Partial<coreV1.PodSpec>; expect: string }[] = [
  { name: "a ConfigMap", container: { envFrom: [{ configMapRef: { name: "no" } }] }, expect: 'configmap "no" not found' },
  { name: "a Secret", container: { envFrom: [{ secretRef: { name: "no" } }] }, expect: 'secret "no" not found' },
  {
    name: "a key of a ConfigMap",
    container: { env: [{ name: "X", valueFrom: { configMapKeyRef: { name: "m", key: "no" } } }] },
    expect: "couldn't find key no in ConfigMap web/m",
  },
  {
    name: "a key of a Secret",
    container: { env: [{ name: "X", valueFrom: { secretKeyRef: { name: "s", key: "no" } } }] },
    expect: "couldn't find key no in Secret web/s",
  },
  {
    name: "a volume",
    container: { volumeMounts: [{ name: "v", mountPath: "/v" }] },
    expect: 'cannot find volume "v" to mount into container "c"',
  },
  {
    name: "another user than root",
    container: {},
    spec: { securityContext: { runAsNonRoot: true } },
    expect: 'container has runAsNonRoot and image will run as root (pod: "app-1_web(u1)", container: c)',
  },
  {
    name: "another user than the one it asks for",
    container: { securityContext: { runAsNonRoot: true, runAsUser: 0 } },
    expect: `container's runAsUser breaks non-root policy (pod: "app-1_web(u1)", container: c)`,
  },
];
for (const { name, container, spec, expect } of problems)
  test(`a container that lacks ${name} is not made`, () =>
    withConfigs({}, async ({ objects, container: make }) => {
      objects.configMaps.set("web/m", { data: {} });
      objects.secrets.set("web/s", {});
      await assert.rejects(make(podOf(container, spec)), { name: "SyncError", reason: "CreateContainerConfigError", message: expect });
    }));

test("an image whose user is a name fails runAsNonRoot", () =>
  withConfigs({}, async ({ container }) => {
    const pod = podOf({}, { securityContext: { runAsNonRoot: true } });
    const image = { ref: "i", uid: undefined, username: "nobody" };
    const message =
      'container has runAsNonRoot and image has non-numeric user (nobody), cannot verify user is non-root (pod: "app-1_web(u1)", container: c)';
    await assert.rejects(container(pod, { image }), { message });
  }));

test("names, labels and paths are those that other tools look for", () =>
  withConfigs({}, async ({ rootDir, container, configs }) => {
    const pod = podOf({ terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File", ports: [{ containerPort: 80 }] });
    const { labels, annotations, logPath, image, userImage, attempt, mounts } = await container(pod);
    assert.deepEqual(labels, {
      "io.kubernetes.pod.name": "app-1",
      "io.kubernetes.pod.namespace": "web",
      "io.kubernetes.pod.uid": "u1",
      "io.kubernetes.container.name": "c",
    });
    assert.equal(annotations["io.kubernetes.container.restartCount"], "2");
    assert.equal(annotations["io.kubernetes.container.terminationMessagePath"], "/dev/termination-log");
    assert.equal(annotations["io.kubernetes.container.ports"], '[{"containerPort":80}]');
    assert.deepEqual([logPath, image, userImage, attempt], ["c/2.log", "sha256:abc", "busybox", 2]);
    assert.deepEqual(
      mounts.map(({ containerPath }) => containerPath),
      ["/etc/hosts", "/dev/termination-log"],
    );
    assert.match(mounts[1]?.hostPath ?? "", /\/pods\/u1\/containers\/c\/[0-9a-f]{8}$/);
    assert.equal(configs.generatePodSandboxConfig(pod, 0).logDirectory, join(rootDir, "logs", "web_app-1_u1"));
  }));

test("a Pod has a hosts file of its own", () =>
  withConfigs({}, async ({ container }) => {
    const pod = podOf({}, { subdomain: "sub", hostAliases: [{ ip: "1.2.3.4", hostnames: ["foo", "bar"] }] });
    const { mounts } = await container(pod);
    const text = await readFile(mounts[0]?.hostPath ?? "", "utf8");
    const expected = [
      "# Kubernetes-managed hosts file.",
      "127.0.0.1\tlocalhost",
      "::1\tlocalhost ip6-localhost ip6-loopback",
      "fe00::0\tip6-localnet",
      "fe00::0\tip6-mcastprefix",
      "fe00::1\tip6-allnodes",
      "fe00::2\tip6-allrouters",
      "10.0.0.7\tapp-1.sub.web.svc.cluster.local\tapp-1",
      "fd00::7\tapp-1.sub.web.svc.cluster.local\tapp-1",
      "",
      "# Entries added by HostAliases.",
      "1.2.3.4\tfoo\tbar",
      "",
    ];
    assert.equal(text, expected.join("\n"));
  }));

test("with the host's network it is the node's", () =>
  withConfigs({}, async ({ container, configs }) => {
    const pod = podOf({}, { hostNetwork: true, dnsPolicy: "ClusterFirst" });
    const { mounts } = await container(pod, { podIps: [] });
    assert.match(await readFile(mounts[0]?.hostPath ?? "", "utf8"), /^# Kubernetes-managed hosts file \(host network\)\.\n/);
    const { hostname, network, dns } = configs.generatePodSandboxConfig(pod, 0);
    assert.deepEqual(
      { hostname, network, dns },
      { hostname: "", network: "node", dns: { servers: ["127.0.0.1", "::1"], searches: ["."], options: [] } },
    );
  }));

test("parts of volumes are mounted, and read-only as the volume or the mount says", () =>
  withConfigs({}, async ({ rootDir, container }) => {
    const volumes = new Map([["v", { path: rootDir, readOnly: false, selinuxRelabel: true }]]);
    const mount = { name: "v", mountPath: "data", subPathExpr: "$(NAME)/logs", readOnly: true, mountPropagation: "HostToContainer" };
    const pod = podOf({ env: [{ name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }], volumeMounts: [mount] });
    const { mounts } = await container(pod, { volumes, podIps: [] });
    assert.deepEqual(mounts, [
      { containerPath: "/data", hostPath: join(rootDir, "app-1/logs"), readOnly: true, propagation: "hostToContainer" },
    ]);
    const unset = podOf({ volumeMounts: [mount] });
    await assert.rejects(container(unset, { volumes }), { message: "missing value for NAME" });
    const outside = podOf({ volumeMounts: [{ name: "v", mountPath: "/data", subPath: "../.." }] });
    await assert.rejects(container(outside, { volumes }), { message: "unable to provision SubPath `../..`: must not contain '..'" });
  }));

test("images of volumes are mounted by the runtime, whole or in part, read-only whatever the mount says", () =>
  withConfigs({}, async ({ container }) => {
    const volumes = new Map([["v", { path: "", readOnly: true, selinuxRelabel: false }]]);
    const image = { ref: "sha256:1", reference: "data:1", runtimeHandler: "", annotations: {} };
    const imageVolumes = new Map([["v", image]]);
    const env = [{ name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }];
    const mounts = [
      { name: "v", mountPath: "/whole", readOnly: false },
      { name: "v", mountPath: "/part", subPath: "a/b" },
      { name: "v", mountPath: "/own", subPathExpr: "$(NAME)/logs" },
    ];
    const made = await container(podOf({ env, volumeMounts: mounts }), { volumes, imageVolumes, podIps: [] });
    const rest = { hostPath: "", readOnly: true, propagation: "private" };
    assert.deepEqual(made.mounts, [
      { containerPath: "/whole", image: { ...image, subPath: "" }, ...rest },
      { containerPath: "/part", image: { ...image, subPath: "a/b" }, ...rest },
      { containerPath: "/own", image: { ...image, subPath: "app-1/logs" }, ...rest },
    ]);
    const outside = podOf({ volumeMounts: [{ name: "v", mountPath: "/data", subPath: "../.." }] });
    await assert.rejects(container(outside, { volumes, imageVolumes }), {
      reason: "CreateContainerConfigError",
      message: "unable to provision SubPath `../..`: must not contain '..'",
    });
  }));

test("an unknown RuntimeClass fails the sandbox", () =>
  withConfigs({}, ({ configs }) => {
    assert.throws(() => configs.generatePodSandboxConfig(podOf({}, { runtimeClassName: "gvisor" }), 0), {
      reason: "ConfigPodSandboxError",
      message: 'Failed to generate sandbox config for pod "app-1_web(u1)": runtimeclass.node.k8s.io "gvisor" not found',
    });
  }));
