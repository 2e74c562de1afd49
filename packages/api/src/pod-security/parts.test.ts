/** What each control looks at: every field, value and kind of container of its own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec } from "@coxswain/types/core-v1";
import { detailsOf, violations } from "./evaluate.ts";
import type { LevelVersion } from "./policy.ts";

const inOrder = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};

interface Given {
  readonly spec?: object;
  /** Of the Pod. */
  readonly context?: object;
  readonly container?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  /** In which list the container stands. */
  readonly list?: "containers" | "initContainers" | "ephemeralContainers";
}

const saidOf = (
  { level, version }: LevelVersion,
  { spec, context = {}, container, annotations = {}, list = "containers" }: Given,
): string => {
  const { securityContext, ...more } = { securityContext: {}, ...container } as { readonly securityContext: object };
  const one = { name: "c", image: "i", securityContext: { ...inOrder, ...securityContext }, ...more };
  const other = { name: "o", image: "i", securityContext: inOrder };
  const lists = list === "containers" ? { containers: [one] } : { containers: [other], [list]: [one] };
  return detailsOf(
    violations({ level, version }, { annotations, spec: { ...lists, securityContext: context, ...spec } as unknown as PodSpec }),
  );
};

const baseline = { level: "baseline", version: "latest" } as const;
const restricted = { level: "restricted", version: "latest" } as const;
const securityContext = (of: object) => ({ container: { securityContext: of } });

const forbidden: readonly { at: LevelVersion; given: Given; says: string }[] = [
  {
    at: baseline,
    given: { spec: { hostNetwork: true, hostPID: true, hostIPC: true } },
    says: "host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)",
  },
  ...["livenessProbe", "readinessProbe", "startupProbe"].flatMap((probe) =>
    ["httpGet", "tcpSocket"].map((kind) => ({
      at: baseline,
      given: { container: { [probe]: { [kind]: { port: 1, host: "h" } } } },
      says: 'probe or lifecycle host (container "c" uses probe or lifecycle host "h")',
    })),
  ),
  ...["postStart", "preStop"].flatMap((hook) =>
    ["httpGet", "tcpSocket"].map((kind) => ({
      at: baseline,
      given: { container: { lifecycle: { [hook]: { [kind]: { port: 1, host: "h" } } } } },
      says: 'probe or lifecycle host (container "c" uses probe or lifecycle host "h")',
    })),
  ),
  {
    at: baseline,
    given: { context: { windowsOptions: { hostProcess: true } } },
    says: "hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)",
  },
  {
    at: baseline,
    given: { context: { appArmorProfile: { type: "Unconfined" } } },
    says: 'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
  },
  {
    at: baseline,
    given: { context: { seLinuxOptions: { user: "u" } } },
    says: "seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: user may not be set)",
  },
  {
    at: baseline,
    given: securityContext({ seLinuxOptions: { role: "r", type: "t" } }),
    says: 'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "t"; role may not be set)',
  },
  {
    at: baseline,
    given: { context: { seccompProfile: { type: "Unconfined" } } },
    says: 'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
  },
  {
    at: { level: "baseline", version: 18 },
    given: { annotations: { "container.seccomp.security.alpha.kubernetes.io/c": "x" } },
    says: 'seccompProfile (forbidden annotation container.seccomp.security.alpha.kubernetes.io/c="x")',
  },
  {
    at: restricted,
    given: { context: { seccompProfile: { type: "Unconfined" } } },
    says: 'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
  },
  {
    at: baseline,
    given: {
      list: "initContainers",
      container: { ports: [{ containerPort: 1, hostPort: 9 }] },
      spec: {
        containers: [
          {
            name: "d",
            image: "i",
            ports: [
              { containerPort: 1, hostPort: 10 },
              { containerPort: 2, hostPort: 9 },
            ],
          },
        ],
      },
    },
    says: 'hostPort (containers "c", "d" use hostPorts 10, 9)',
  },
  {
    at: baseline,
    given: {
      context: { appArmorProfile: { type: "A" } },
      ...securityContext({ appArmorProfile: { type: "B" } }),
      annotations: { "container.apparmor.security.beta.kubernetes.io/d": "x", "container.apparmor.security.beta.kubernetes.io/c": "y" },
    },
    says: 'forbidden AppArmor profiles (pod and container "c" and annotations must not set AppArmor profile type to "A", "B", "container.apparmor.security.beta.kubernetes.io/c="y"", "container.apparmor.security.beta.kubernetes.io/d="x"")',
  },
  {
    at: baseline,
    given: { annotations: { "container.apparmor.security.beta.kubernetes.io/c": "y" } },
    says: 'forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/c="y"")',
  },
  {
    at: baseline,
    given: { context: { sysctls: [{ name: "b" }, { name: "a" }] } },
    says: "forbidden sysctls (b, a)",
  },
  {
    at: baseline,
    given: {
      spec: {
        hostPID: true,
        volumes: [
          { name: "v", hostPath: {} },
          { name: "w", hostPath: {} },
        ],
      },
    },
    says: 'host namespaces (hostPID=true), hostPath volumes (volumes "v", "w")',
  },
  {
    at: restricted,
    given: securityContext({ capabilities: { add: ["SYS_TIME", "CHOWN"] } }),
    says: 'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]; container "c" must not include "CHOWN", "SYS_TIME" in securityContext.capabilities.add)',
  },
  {
    at: restricted,
    given: securityContext({ runAsNonRoot: undefined, seccompProfile: undefined }),
    says: 'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  },
  {
    at: restricted,
    given: { context: { runAsNonRoot: false } },
    says: "runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)",
  },
  {
    at: restricted,
    given: { context: { runAsNonRoot: true }, ...securityContext({ runAsNonRoot: false }) },
    says: 'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
  },
  { at: restricted, given: { context: { runAsUser: 0 } }, says: "runAsUser=0 (pod must not set runAsUser=0)" },
  {
    at: restricted,
    given: securityContext({ allowPrivilegeEscalation: true }),
    says: 'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)',
  },
  {
    at: restricted,
    given: securityContext({ capabilities: { drop: ["NET_RAW"] } }),
    says: 'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"])',
  },
];
for (const { at, given, says } of forbidden)
  test(`${at.level}:${at.version} forbids ${JSON.stringify(given)}`, () => assert.equal(saidOf(at, given), says));

for (const list of ["initContainers", "ephemeralContainers"] as const) {
  const controls: readonly [LevelVersion, object, string][] = [
    [baseline, { securityContext: { privileged: true } }, 'privileged (container "c" must not set securityContext.privileged=true)'],
    [baseline, { ports: [{ containerPort: 1, hostPort: 7 }] }, 'hostPort (container "c" uses hostPort 7)'],
    [baseline, { securityContext: { procMount: "x" } }, 'procMount (container "c" must not set securityContext.procMount to "x")'],
    [restricted, { securityContext: { runAsUser: 0 } }, 'runAsUser=0 (container "c" must not set runAsUser=0)'],
  ];
  for (const [at, container, says] of controls)
    test(`${at.level} looks at ${list}: ${says}`, () => assert.equal(saidOf(at, { list, container }), says));
}

const capabilities =
  "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT".split(" ");
for (const name of capabilities)
  test(`baseline allows the capability ${name}`, () =>
    assert.equal(saidOf(baseline, securityContext({ capabilities: { add: [name], drop: ["ALL"] } })), ""));
test("restricted allows the capability NET_BIND_SERVICE alone", () => {
  const allowed = capabilities.filter(
    (name) => saidOf(restricted, securityContext({ capabilities: { add: [name], drop: ["ALL"] } })) === "",
  );
  assert.deepEqual(allowed, ["NET_BIND_SERVICE"]);
});

const sysctls: readonly [since: number, names: readonly string[]][] = [
  [
    0,
    [
      "kernel.shm_rmid_forced",
      "net.ipv4.ip_local_port_range",
      "net.ipv4.tcp_syncookies",
      "net.ipv4.ping_group_range",
      "net.ipv4.ip_unprivileged_port_start",
    ],
  ],
  [27, ["net.ipv4.ip_local_reserved_ports"]],
  [29, ["net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes"]],
  [32, ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"]],
];
for (const [since, names] of sysctls)
  for (const name of names)
    test(`baseline allows the sysctl ${name} since 1.${since}`, () => {
      const given = { context: { sysctls: [{ name, value: "1" }] } };
      for (const version of [since, 27, 29, 32, "latest"] as const)
        if (version === "latest" || version >= since) assert.equal(saidOf({ level: "baseline", version }, given), "", `${version}`);
      if (since > 0) assert.equal(saidOf({ level: "baseline", version: since - 1 }, given), `forbidden sysctls (${name})`);
    });

const volumes = "configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret".split(" ");
const otherVolumes =
  "awsElasticBlockStore azureDisk azureFile cephfs cinder fc flexVolume flocker gcePersistentDisk gitRepo glusterfs iscsi nfs photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume hostPath".split(
    " ",
  );
for (const type of [...volumes, ...otherVolumes])
  test(`restricted ${volumes.includes(type) ? "allows" : "forbids"} the volume type ${type}`, () => {
    const says = `restricted volume types (volume "v" uses restricted volume type "${type}")`;
    assert.equal(saidOf(restricted, { spec: { volumes: [{ name: "v", [type]: {} }] } }), volumes.includes(type) ? "" : says);
  });

const allowed: readonly { at: LevelVersion; given: Given }[] = [
  { at: baseline, given: { container: { ports: [{ containerPort: 1, hostPort: 0 }] } } },
  { at: baseline, given: { container: { livenessProbe: { httpGet: { port: 1, host: "" } } } } },
  { at: baseline, given: securityContext({ privileged: false }) },
  { at: baseline, given: securityContext({ windowsOptions: { hostProcess: false } }) },
  { at: baseline, given: securityContext({ procMount: "Default" }) },
  ...["", "container_t", "container_init_t", "container_kvm_t"].map((type) => ({
    at: { level: "baseline", version: 0 } as const,
    given: securityContext({ seLinuxOptions: { type } }),
  })),
  ...["RuntimeDefault", "Localhost"].flatMap((type) => [
    { at: baseline, given: securityContext({ appArmorProfile: { type } }) },
    { at: restricted, given: securityContext({ seccompProfile: { type } }) },
  ]),
  ...["", "runtime/default", "localhost/x"].map((value) => ({
    at: baseline,
    given: { annotations: { "container.apparmor.security.beta.kubernetes.io/c": value } },
  })),
  ...["runtime/default", "docker/default", "localhost/x"].map((value) => ({
    at: { level: "baseline", version: 18 } as const,
    given: { annotations: { "seccomp.security.alpha.kubernetes.io/pod": value } },
  })),
  { at: restricted, given: { context: { runAsNonRoot: true }, ...securityContext({ runAsNonRoot: undefined }) } },
  { at: restricted, given: { context: { seccompProfile: { type: "Localhost" } }, ...securityContext({ seccompProfile: undefined }) } },
  { at: restricted, given: securityContext({ runAsUser: 1 }) },
  { at: baseline, given: securityContext({ seLinuxOptions: { level: "s0" } }) },
];
for (const { at, given } of allowed)
  test(`${at.level}:${at.version} allows ${JSON.stringify(given)}`, () => assert.equal(saidOf(at, given), ""));
