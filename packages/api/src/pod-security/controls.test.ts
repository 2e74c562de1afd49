import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec } from "@coxswain/types/core-v1";
import type { CheckedPod } from "./check.ts";
import { reasonsOf, violations } from "./evaluate.ts";
import type { LevelVersion } from "./policy.ts";

const inOrder = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};

/** Restricted allows it, but for what `context` changes in its container and `more` in its spec. */
const pod = (context: object = {}, more: object = {}, annotations: Readonly<Record<string, string>> = {}): CheckedPod => ({
  annotations,
  spec: { containers: [{ name: "c", image: "i", securityContext: { ...inOrder, ...context } }], ...more } as PodSpec,
});
const container = (more: object): CheckedPod => pod({}, { containers: [{ name: "c", image: "i", securityContext: inOrder, ...more }] });

type Version = LevelVersion["version"];
interface Case {
  readonly control: string;
  readonly pod: CheckedPod;
  /** What each level says, in the newest version and in others. */
  readonly baseline: string;
  readonly restricted: string;
  readonly before?: readonly (readonly [level: "baseline" | "restricted", version: Version, reasons: string])[];
}

const windows = { os: { name: "windows" } };
const userNamespace = { hostUsers: false };
const both = (reason: string) => ({ baseline: reason, restricted: reason });
const restricted = (reason: string) => ({ baseline: "", restricted: reason });

const cases: readonly Case[] = [
  { control: "a Pod in order", pod: pod(), ...both("") },
  { control: "host network", pod: pod({}, { hostNetwork: true }), ...both("host namespaces") },
  { control: "host processes", pod: pod({}, { hostPID: true }), ...both("host namespaces") },
  { control: "host IPC", pod: pod({}, { hostIPC: true }), ...both("host namespaces") },
  {
    control: "hostPath volumes",
    pod: pod({}, { volumes: [{ name: "v", hostPath: { path: "/" } }] }),
    baseline: "hostPath volumes",
    restricted: "restricted volume types",
  },
  {
    control: "other volumes",
    pod: pod({}, { volumes: [{ name: "v", nfs: { server: "s", path: "/" } }] }),
    ...restricted("restricted volume types"),
  },
  { control: "allowed volumes", pod: pod({}, { volumes: [{ name: "v", emptyDir: {} }] }), ...both("") },
  { control: "host ports", pod: container({ ports: [{ containerPort: 1, hostPort: 1 }] }), ...both("hostPort") },
  {
    control: "hosts of probes",
    pod: container({ livenessProbe: { httpGet: { port: 1, host: "h" } } }),
    ...both("probe or lifecycle host"),
    before: [
      ["baseline", 33, ""],
      ["baseline", 34, "probe or lifecycle host"],
    ],
  },
  {
    control: "hosts of lifecycle handlers",
    pod: container({ lifecycle: { preStop: { tcpSocket: { port: 1, host: "h" } } } }),
    ...both("probe or lifecycle host"),
  },
  { control: "privileged containers", pod: pod({ privileged: true }), ...both("privileged") },
  { control: "Windows host processes", pod: pod({ windowsOptions: { hostProcess: true } }), ...both("hostProcess") },
  {
    control: "sysctls",
    pod: pod({}, { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } }),
    ...both("forbidden sysctls"),
    before: [["baseline", 0, "forbidden sysctls"]],
  },
  ...(
    [
      ["net.ipv4.ip_local_reserved_ports", 27],
      ["net.ipv4.tcp_fin_timeout", 29],
      ["net.ipv4.tcp_rmem", 32],
    ] as const
  ).map(
    ([name, since]): Case => ({
      control: `the sysctl ${name}`,
      pod: pod({}, { securityContext: { sysctls: [{ name, value: "1" }] } }),
      ...both(""),
      before: [
        ["baseline", since - 1, "forbidden sysctls"],
        ["baseline", since, ""],
      ],
    }),
  ),
  {
    control: "AppArmor profiles",
    pod: pod({ appArmorProfile: { type: "Unconfined" } }),
    ...both("forbidden AppArmor profile"),
  },
  {
    control: "AppArmor profiles of annotations",
    pod: pod({}, {}, { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" }),
    ...both("forbidden AppArmor profile"),
  },
  { control: "SELinux types", pod: pod({ seLinuxOptions: { type: "x" } }), ...both("seLinuxOptions") },
  { control: "SELinux users", pod: pod({ seLinuxOptions: { user: "u" } }), ...both("seLinuxOptions") },
  {
    control: "the SELinux type container_engine_t",
    pod: pod({ seLinuxOptions: { type: "container_engine_t" } }),
    ...both(""),
    before: [
      ["baseline", 30, "seLinuxOptions"],
      ["baseline", 31, ""],
    ],
  },
  {
    control: "capabilities",
    pod: pod({ capabilities: { add: ["SYS_ADMIN"], drop: ["ALL"] } }),
    baseline: "non-default capabilities",
    restricted: "unrestricted capabilities",
    before: [["restricted", 24, "unrestricted capabilities"]],
  },
  {
    control: "usual capabilities",
    pod: pod({ capabilities: { add: ["CHOWN"], drop: ["ALL"] } }),
    ...restricted("unrestricted capabilities"),
    before: [["restricted", 21, ""]],
  },
  {
    control: "capabilities that are kept",
    pod: pod({ capabilities: {} }),
    ...restricted("unrestricted capabilities"),
    before: [
      ["restricted", 22, "unrestricted capabilities"],
      ["restricted", 21, ""],
    ],
  },
  {
    control: "capabilities on Windows",
    pod: pod({ capabilities: {} }, windows),
    ...both(""),
    before: [
      ["restricted", 24, "unrestricted capabilities"],
      ["restricted", 25, ""],
    ],
  },
  { control: "mounts of proc", pod: pod({ procMount: "Unmasked" }), ...both("procMount"), before: [["baseline", 0, "procMount"]] },
  {
    control: "mounts of proc with a user namespace",
    pod: pod({ procMount: "Unmasked" }, userNamespace),
    ...restricted("procMount"),
    before: [
      ["baseline", 34, "procMount"],
      ["baseline", 35, ""],
      ["restricted", 35, "procMount"],
    ],
  },
  {
    control: "seccomp profiles",
    pod: pod({ seccompProfile: { type: "Unconfined" } }),
    ...both("seccompProfile"),
    before: [
      ["baseline", 19, "seccompProfile"],
      ["restricted", 24, "seccompProfile"],
    ],
  },
  {
    control: "missing seccomp profiles",
    pod: pod({ seccompProfile: undefined }),
    ...restricted("seccompProfile"),
    before: [
      ["restricted", 19, "seccompProfile"],
      ["restricted", 18, ""],
    ],
  },
  {
    control: "missing seccomp profiles on Windows",
    pod: pod({ seccompProfile: undefined }, windows),
    ...both(""),
    before: [
      ["restricted", 24, "seccompProfile"],
      ["restricted", 25, ""],
    ],
  },
  {
    control: "seccomp profiles of annotations",
    pod: pod({}, {}, { "seccomp.security.alpha.kubernetes.io/pod": "unconfined" }),
    ...both(""),
    before: [["baseline", 18, "seccompProfile"]],
  },
  {
    control: "privilege escalation",
    pod: pod({ allowPrivilegeEscalation: undefined }),
    ...restricted("allowPrivilegeEscalation != false"),
    before: [
      ["restricted", 8, "allowPrivilegeEscalation != false"],
      ["restricted", 7, ""],
    ],
  },
  {
    control: "privilege escalation on Windows",
    pod: pod({ allowPrivilegeEscalation: true }, windows),
    ...both(""),
    before: [
      ["restricted", 24, "allowPrivilegeEscalation != false"],
      ["restricted", 25, ""],
    ],
  },
  { control: "users that may be root", pod: pod({ runAsNonRoot: undefined }), ...restricted("runAsNonRoot != true") },
  {
    control: "users that may be root in a user namespace",
    pod: pod({ runAsNonRoot: false }, userNamespace),
    ...both(""),
    before: [
      ["restricted", 34, "runAsNonRoot != true"],
      ["restricted", 35, ""],
    ],
  },
  {
    control: "the user root",
    pod: pod({ runAsUser: 0 }),
    ...restricted("runAsUser=0"),
    before: [
      ["restricted", 23, "runAsUser=0"],
      ["restricted", 22, ""],
    ],
  },
  {
    control: "the user root in a user namespace",
    pod: pod({ runAsUser: 0 }, userNamespace),
    ...both(""),
    before: [
      ["restricted", 34, "runAsUser=0"],
      ["restricted", 35, ""],
    ],
  },
];

for (const { control, pod: checked, baseline, restricted: strict, before = [] } of cases) {
  const rows = [["baseline", "latest", baseline], ["restricted", "latest", strict], ["privileged", "latest", ""], ...before] as const;
  for (const [level, version, reasons] of rows)
    test(`${level}:${version} ${reasons === "" ? "allows" : "forbids"} ${control}`, () => {
      assert.equal(reasonsOf(violations({ level, version }, checked)), reasons);
    });
}
