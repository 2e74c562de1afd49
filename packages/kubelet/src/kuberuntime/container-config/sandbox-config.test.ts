import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { coreV1 } from "@coxswain/api";
import { configsIn, podOf, withConfigs } from "./configs-under-test.ts";

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
  // The node of these tests has addresses of both families, and no resolv.conf.
  { name: "the node's", spec: { dnsPolicy: "Default" }, expect: { servers: ["127.0.0.1", "::1"], searches: ["."], options: [] } },
  {
    name: "the node's, in its network,",
    spec: { hostNetwork: true, dnsPolicy: "ClusterFirst" },
    expect: { servers: ["127.0.0.1", "::1"], searches: ["."], options: [] },
  },
  {
    name: "the cluster's, in the node's network,",
    spec: { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" },
    expect: { servers: ["10.96.0.10"], searches, options: ["ndots:5"] },
  },
];
for (const { name, spec, expect } of resolvers)
  test(`a Pod asks ${name} name servers`, () =>
    withConfigs({}, ({ configs }) => assert.deepEqual(configs.generatePodSandboxConfig(podOf({}, spec), 0).dns, expect)));

test("another domain of the cluster is in the searches of a Pod, before those of the node and each once", () =>
  withConfigs({}, async ({ rootDir }) => {
    await writeFile(join(rootDir, "resolv"), "search corp.example svc.k8s.test\nnameserver 9.9.9.9\noptions ndots:1\n");
    const options = { clusterDomain: "k8s.test", resolvConf: join(rootDir, "resolv") };
    const { dns } = configsIn(rootDir, options).configs.generatePodSandboxConfig(podOf(), 0);
    const expected = ["web.svc.k8s.test", "svc.k8s.test", "k8s.test", "corp.example"];
    assert.deepEqual(dns, { servers: ["10.96.0.10"], searches: expected, options: ["ndots:5"] });
  }));

test("what exceeds a resolver's limits is left out, and an Event says so", () =>
  withConfigs({}, ({ configs, events }) => {
    const nameservers = ["1.1.1.1", "1.1.1.2", "1.1.1.3"];
    const long = "x".repeat(254);
    const { dns } = configs.generatePodSandboxConfig(podOf({}, { dnsConfig: { nameservers, searches: [long, "y.org"] } }), 0);
    assert.deepEqual(dns, { servers: ["10.96.0.10", "1.1.1.1", "1.1.1.2"], searches: [...searches, "y.org"], options: ["ndots:5"] });
    assert.deepEqual(events, [
      "DNSConfigForming: Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 10.96.0.10 1.1.1.1 1.1.1.2",
    ]);
  }));

test("without name servers of the cluster a Pod uses the node's, and gets one Event about it", () =>
  withConfigs({ clusterDns: [] }, async ({ rootDir, configs, events }) => {
    configs.generatePodSandboxConfig(podOf(), 0);
    configs.generatePodSandboxConfig(podOf(), 1);
    assert.deepEqual(events, [
      'MissingClusterDNS: pod: "app-1_web(u1)". kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.',
    ]);
    await writeFile(join(rootDir, "resolv"), "search a.org. b.org\nnameserver 9.9.9.9\noptions ndots:1 ndots:3\n");
    const { dns } = configsIn(rootDir, { clusterDns: [], resolvConf: join(rootDir, "resolv") }).configs.generatePodSandboxConfig(
      podOf(),
      0,
    );
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
      assert.equal(configs.generatePodSandboxConfig(pod, 0).cgroupParent, cgroup);
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
    const sandbox = configs.generatePodSandboxConfig(pod, 3);
    assert.deepEqual(
      [sandbox.privileged, sandbox.sysctls, sandbox.pid, sandbox.attempt, sandbox.hostname],
      [true, { "net.a": "1" }, "pod", 3, "app-1"],
    );
  }));

test("user namespaces are refused rather than left out", () =>
  withConfigs({}, ({ configs }) =>
    assert.throws(() => configs.generatePodSandboxConfig(podOf({}, { hostUsers: false }), 0), {
      message:
        'Failed to generate sandbox config for pod "app-1_web(u1)": can\'t set `spec.hostUsers: false`, runtime does not support user namespaces',
    }),
  ));
