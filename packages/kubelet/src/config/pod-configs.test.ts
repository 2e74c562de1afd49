import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { coreV1 } from "@coxswain/api";
import type { Informer } from "@coxswain/client";
import { systemRandom } from "@coxswain/machinery";
import type { Container, ContainerRequest, Pod } from "../parts.ts";
import { base64, objectsUnderTest } from "../volumes/objects-under-test.ts";
import { createPodConfigs, type PodConfigsOptions } from "./pod-configs.ts";

const quiet = new AbortController().signal;
const memoryBytes = 4 * 1024 ** 3;

const service = (namespace: string, name: string, clusterIP: string, ports: readonly coreV1.ServicePort[]): coreV1.Service => ({
  metadata: { namespace, name },
  spec: { clusterIP, ports: [...ports] },
});

const services = [
  service("default", "kubernetes", "10.96.0.1", [{ name: "https", port: 443, protocol: "TCP" }]),
  service("web", "redis-primary", "10.96.0.11", [{ port: 6379 }, { name: "metrics", port: 9121, protocol: "TCP" }]),
  service("web", "headless", "None", [{ port: 80 }]),
  service("other", "unseen", "10.96.0.12", [{ port: 80 }]),
];

function informerOf(all: readonly coreV1.Service[], hasSynced = true): Pick<Informer<coreV1.Service>, "hasSynced" | "lister"> {
  const lister: Informer<coreV1.Service>["lister"] = {
    size: all.length,
    get: ({ namespace, name }) => all.find(({ metadata }) => metadata?.namespace === namespace && metadata?.name === name),
    list: ({ namespace } = {}) => all.filter(({ metadata }) => namespace === undefined || metadata?.namespace === namespace),
    byIndex: () => [],
  };
  return { hasSynced, lister };
}

const podOf = (container: Partial<Container> = {}, spec: Partial<coreV1.PodSpec> = {}): Pod => ({
  metadata: { name: "app-1", namespace: "web", uid: "u1", labels: { app: "app" }, annotations: { note: "n" } },
  spec: { containers: [{ name: "c", image: "busybox", ...container }], nodeName: "node-1", serviceAccountName: "runner", ...spec },
});

async function withConfigs(
  settings: Partial<PodConfigsOptions>,
  use: (given: ReturnType<typeof make>) => Promise<void> | void,
): Promise<void> {
  const rootDir = await mkdtemp(join(tmpdir(), "configs-"));
  try {
    await use(make(rootDir, settings));
  } finally {
    await rm(rootDir, { recursive: true });
  }
}

function make(rootDir: string, settings: Partial<PodConfigsOptions>) {
  const objects = objectsUnderTest();
  const events: string[] = [];
  const configs = createPodConfigs({
    rootDir,
    logsDir: join(rootDir, "logs"),
    objects,
    services: informerOf(services),
    node: () => ({ hostIps: ["192.168.0.5", "fd00::5"], allocatable: { cpu: "4", memory: "4Gi" }, memoryBytes }),
    events: { record: (_, { reason, message }) => void events.push(`${reason}: ${message}`) },
    random: systemRandom,
    clusterDns: ["10.96.0.10"],
    resolvConf: "",
    mounter: undefined,
    ...settings,
  });
  const request = (pod: Pod, more: Partial<ContainerRequest> = {}): ContainerRequest => ({
    pod,
    container: pod.spec?.containers[0] as Container,
    attempt: 2,
    image: { ref: "sha256:abc", uid: undefined, username: "" },
    podIps: ["10.0.0.7", "fd00::7"],
    volumes: new Map(),
    others: [],
    ...more,
  });
  const container = (pod: Pod, more: Partial<ContainerRequest> = {}) => configs.container(request(pod, more), quiet);
  const env = async (pod: Pod) => Object.fromEntries((await container(pod)).env.map(({ name, value }) => [name, value]));
  return { rootDir, objects, events, configs, container, env };
}

test("variables come in their order, and may name earlier ones", () =>
  withConfigs({}, async ({ objects, container }) => {
    objects.configMaps.set("web/m", { data: { KEY: "of-map", BOTH: "of-map" } });
    objects.secrets.set("web/s", { data: { HIDDEN: base64("of-secret") } });
    const pod = podOf(
      {
        envFrom: [
          { configMapRef: { name: "m" } },
          { prefix: "S_", secretRef: { name: "s" } },
          { configMapRef: { name: "no", optional: true } },
        ],
        env: [
          { name: "A", value: "1" },
          { name: "B", value: "$(A)-$(KEY)-$$(A)-$(LATER)-$(" },
          { name: "BOTH", value: "own" },
          { name: "LATER", value: "2" },
          { name: "ONE", valueFrom: { configMapKeyRef: { name: "m", key: "KEY" } } },
          { name: "SECRET", valueFrom: { secretKeyRef: { name: "s", key: "HIDDEN" } } },
          { name: "NONE", valueFrom: { secretKeyRef: { name: "s", key: "no", optional: true } } },
        ],
        command: ["sh", "-c", "echo $(A)"],
        args: ["$(B)", "$(MISSING)"],
      },
      { enableServiceLinks: false },
    );
    const { env, command, args } = await container(pod);
    assert.deepEqual(env.map(({ name, value }) => `${name}=${value}`).slice(0, 8), [
      "KEY=of-map",
      "BOTH=own",
      "S_HIDDEN=of-secret",
      "A=1",
      "B=1-of-map-$(A)-$(LATER)-$(",
      "LATER=2",
      "ONE=of-map",
      "SECRET=of-secret",
    ]);
    assert.deepEqual(
      [command, args],
      [
        ["sh", "-c", "echo 1"],
        ["1-of-map-$(A)-$(LATER)-$(", "$(MISSING)"],
      ],
    );
  }));

test("services of the namespace are told, and always the API server", () =>
  withConfigs({}, async ({ env }) => {
    const linked = await env(podOf());
    assert.deepEqual(linked, {
      KUBERNETES_SERVICE_HOST: "10.96.0.1",
      KUBERNETES_SERVICE_PORT: "443",
      KUBERNETES_SERVICE_PORT_HTTPS: "443",
      KUBERNETES_PORT: "tcp://10.96.0.1:443",
      KUBERNETES_PORT_443_TCP: "tcp://10.96.0.1:443",
      KUBERNETES_PORT_443_TCP_PROTO: "tcp",
      KUBERNETES_PORT_443_TCP_PORT: "443",
      KUBERNETES_PORT_443_TCP_ADDR: "10.96.0.1",
      REDIS_PRIMARY_SERVICE_HOST: "10.96.0.11",
      REDIS_PRIMARY_SERVICE_PORT: "6379",
      REDIS_PRIMARY_SERVICE_PORT_METRICS: "9121",
      REDIS_PRIMARY_PORT: "tcp://10.96.0.11:6379",
      REDIS_PRIMARY_PORT_6379_TCP: "tcp://10.96.0.11:6379",
      REDIS_PRIMARY_PORT_6379_TCP_PROTO: "tcp",
      REDIS_PRIMARY_PORT_6379_TCP_PORT: "6379",
      REDIS_PRIMARY_PORT_6379_TCP_ADDR: "10.96.0.11",
      REDIS_PRIMARY_PORT_9121_TCP: "tcp://10.96.0.11:9121",
      REDIS_PRIMARY_PORT_9121_TCP_PROTO: "tcp",
      REDIS_PRIMARY_PORT_9121_TCP_PORT: "9121",
      REDIS_PRIMARY_PORT_9121_TCP_ADDR: "10.96.0.11",
    });
    const unlinked = await env(podOf({}, { enableServiceLinks: false }));
    assert.deepEqual(
      Object.keys(unlinked).filter((name) => !name.startsWith("KUBERNETES")),
      [],
    );
  }));

test("the API server may be told to be elsewhere", () =>
  withConfigs({ masterService: { host: "127.0.0.1", port: 6443 } }, async ({ env }) => {
    const { KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT, KUBERNETES_PORT } = await env(podOf());
    assert.deepEqual([KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT, KUBERNETES_PORT], ["127.0.0.1", "6443", "tcp://127.0.0.1:6443"]);
  }));

const fields = {
  "metadata.name": "app-1",
  "metadata.labels": 'app="app"',
  "metadata.annotations['note']": "n",
  "spec.nodeName": "node-1",
  "spec.serviceAccountName": "runner",
  "status.hostIP": "192.168.0.5",
  "status.hostIPs": "192.168.0.5,fd00::5",
  "status.podIP": "10.0.0.7",
  "status.podIPs": "10.0.0.7,fd00::7",
};
for (const [fieldPath, expect] of Object.entries(fields))
  test(`${fieldPath} is a variable`, () =>
    withConfigs({}, async ({ env }) => {
      assert.equal((await env(podOf({ env: [{ name: "X", valueFrom: { fieldRef: { fieldPath } } }] }))).X, expect);
    }));

const amounts = [
  { resource: "limits.cpu", divisor: "1m", expect: "1500" },
  { resource: "limits.cpu", divisor: undefined, expect: "2" },
  { resource: "requests.cpu", divisor: "1m", expect: "0" },
  { resource: "limits.memory", divisor: "1Mi", expect: "4096" },
  { resource: "requests.memory", divisor: "1Ki", expect: "65" },
];
for (const { resource, divisor, expect } of amounts)
  test(`${resource} in ${divisor ?? "whole units"} is ${expect}`, () =>
    withConfigs({}, async ({ env }) => {
      const resourceFieldRef = { resource, ...(divisor === undefined ? {} : { divisor }) };
      const resources = { limits: { cpu: "1500m" }, requests: { memory: "66000" } };
      assert.equal((await env(podOf({ resources, env: [{ name: "X", valueFrom: { resourceFieldRef } }] }))).X, expect);
    }));

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

test("a name instead of a number cannot be told from root", () =>
  withConfigs({}, async ({ container }) => {
    const pod = podOf({}, { securityContext: { runAsNonRoot: true } });
    const image = { ref: "i", uid: undefined, username: "nobody" };
    const message =
      'container has runAsNonRoot and image has non-numeric user (nobody), cannot verify user is non-root (pod: "app-1_web(u1)", container: c)';
    await assert.rejects(container(pod, { image }), { message });
  }));

test("no Service is left out because none was read yet", () =>
  withConfigs({ services: informerOf([], false) }, async ({ container }) => {
    const message = "services have not yet been read at least once, cannot construct envvars";
    await assert.rejects(container(podOf()), { reason: "CreateContainerConfigError", message });
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
    assert.equal(configs.sandbox(pod, 0).logDirectory, join(rootDir, "logs", "web_app-1_u1"));
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
    const { hostname, network, dns } = configs.sandbox(pod, 0);
    assert.deepEqual(
      { hostname, network, dns },
      { hostname: "", network: "node", dns: { servers: ["127.0.0.1"], searches: ["."], options: [] } },
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

test("a variable may come from a file of a volume", () =>
  withConfigs({}, async ({ rootDir, container, env: _ }) => {
    await writeFile(join(rootDir, "vars"), "# these\nA='1'\nB='two\nlines' # more\n");
    const volumes = new Map([["v", { path: rootDir, readOnly: false, selinuxRelabel: true }]]);
    const of = (key: string) => podOf({ env: [{ name: "X", valueFrom: { fileKeyRef: { volumeName: "v", path: "vars", key } } }] });
    assert.equal((await container(of("B"), { volumes })).env[0]?.value, "two\nlines");
    await assert.rejects(container(of("C"), { volumes }), /environment variable key "C" not found in file/);
  }));

const searches = ["web.svc.cluster.local", "svc.cluster.local", "cluster.local"];
const resolvers: readonly { name: string; spec: Partial<coreV1.PodSpec>; expect: object }[] = [
  { name: "the cluster's", spec: {}, expect: { servers: ["10.96.0.10"], searches, options: ["ndots:5"] } },
  {
    name: "the cluster's with more",
    spec: { dnsConfig: { nameservers: ["1.1.1.1"], searches: ["x.org"], options: [{ name: "ndots", value: "2" }, { name: "edns0" }] } },
    expect: { servers: ["10.96.0.10", "1.1.1.1"], searches: [...searches, "x.org"], options: ["ndots:2", "edns0"] },
  },
  {
    name: "its own",
    spec: { dnsPolicy: "None", dnsConfig: { nameservers: ["1.1.1.1"] } },
    expect: { servers: ["1.1.1.1"], searches: [], options: [] },
  },
];
for (const { name, spec, expect } of resolvers)
  test(`a Pod asks ${name} name servers`, () =>
    withConfigs({}, ({ configs }) => assert.deepEqual(configs.sandbox(podOf({}, spec), 0).dns, expect)));

test("without name servers of the cluster a Pod asks the node's, and is told so once", () =>
  withConfigs({ clusterDns: [] }, async ({ rootDir, configs, events }) => {
    configs.sandbox(podOf(), 0);
    configs.sandbox(podOf(), 1);
    assert.deepEqual(events, [
      'MissingClusterDNS: pod: "app-1_web(u1)". kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.',
    ]);
    await writeFile(join(rootDir, "resolv"), "search a.org. b.org\nnameserver 9.9.9.9\noptions ndots:1 ndots:3\n");
    const { dns } = make(rootDir, { clusterDns: [], resolvConf: join(rootDir, "resolv") }).configs.sandbox(podOf(), 0);
    assert.deepEqual(dns, { servers: ["9.9.9.9"], searches: ["a.org", "b.org"], options: ["ndots:3"] });
  }));

const memory = (requests: string | undefined, limits = requests) => ({
  ...(requests === undefined ? {} : { requests: { memory: requests, cpu: "500m" } }),
  ...(limits === undefined ? {} : { limits: { memory: limits, cpu: "500m" } }),
});
const pressures: readonly { name: string; resources: coreV1.ResourceRequirements; cgroup: string; expect: object }[] = [
  {
    name: "guaranteed",
    resources: memory("1Gi"),
    cgroup: "coxswain/podu1",
    expect: { cpuPeriod: 100_000, cpuQuota: 50_000, cpuShares: 512, memoryLimitBytes: 1024 ** 3, oomScoreAdj: -997 },
  },
  {
    name: "burstable",
    resources: { requests: { memory: "1Gi" } },
    cgroup: "coxswain/burstable/podu1",
    expect: { cpuPeriod: 100_000, cpuQuota: 0, cpuShares: 2, oomScoreAdj: 750 },
  },
  {
    name: "best effort",
    resources: {},
    cgroup: "coxswain/besteffort/podu1",
    expect: { cpuPeriod: 100_000, cpuQuota: 0, cpuShares: 2, oomScoreAdj: 1000 },
  },
  {
    name: "limited to next to nothing",
    resources: { limits: { cpu: "1m" } },
    cgroup: "coxswain/burstable/podu1",
    expect: { cpuPeriod: 100_000, cpuQuota: 1_000, cpuShares: 2, oomScoreAdj: 999 },
  },
];
for (const { name, resources, cgroup, expect } of pressures)
  test(`a container that is ${name} gets its share`, () =>
    withConfigs({}, async ({ container, configs }) => {
      const pod = podOf({ resources });
      assert.deepEqual((await container(pod)).resources, expect);
      assert.equal(configs.sandbox(pod, 0).cgroupParent, cgroup);
    }));

test("a sidecar goes no sooner than what it serves", () =>
  withConfigs({}, async ({ container }) => {
    const sidecar = { name: "s", restartPolicy: "Always" };
    const pod = podOf({ resources: { requests: { memory: "1Gi" } } }, { initContainers: [sidecar] });
    assert.equal((await container(pod, { container: sidecar })).resources.oomScoreAdj, 750);
  }));

test("what a container says of its rights goes before what its Pod says", () =>
  withConfigs({}, async ({ container, configs }) => {
    const ofPod = {
      runAsUser: 1000,
      runAsGroup: 2000,
      fsGroup: 3000,
      supplementalGroups: [4000],
      seccompProfile: { type: "RuntimeDefault" },
    };
    const own = {
      runAsUser: 1001,
      privileged: true,
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] },
    };
    const pod = podOf(
      { securityContext: own },
      { securityContext: { ...ofPod, sysctls: [{ name: "net.a", value: "1" }] }, shareProcessNamespace: true },
    );
    const { security, pid } = await container(pod);
    assert.deepEqual(
      { ...security, maskedPaths: security.maskedPaths.length, readonlyPaths: security.readonlyPaths.length, pid },
      {
        privileged: true,
        readonlyRootfs: true,
        noNewPrivileges: true,
        runAsUser: 1001,
        runAsUsername: "",
        runAsGroup: 2000,
        supplementalGroups: [3000, 4000],
        addCapabilities: ["NET_ADMIN"],
        dropCapabilities: ["ALL"],
        seccomp: { type: "RuntimeDefault", localhostRef: "" },
        apparmor: undefined,
        maskedPaths: 12,
        readonlyPaths: 5,
        pid: "pod",
      },
    );
    const sandbox = configs.sandbox(pod, 3);
    assert.deepEqual(
      [sandbox.privileged, sandbox.sysctls, sandbox.pid, sandbox.attempt, sandbox.hostname],
      [true, { "net.a": "1" }, "pod", 3, "app-1"],
    );
  }));

test("a class of runtimes that nobody knows is no sandbox", () =>
  withConfigs({}, ({ configs }) => {
    assert.throws(() => configs.sandbox(podOf({}, { runtimeClassName: "gvisor" }), 0), {
      reason: "ConfigPodSandboxError",
      message: 'Failed to generate sandbox config for pod "app-1_web(u1)": runtimeclass.node.k8s.io "gvisor" not found',
    });
  }));
