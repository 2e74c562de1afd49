/** Baseline: what reaches the node that a Pod runs on. @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline */
import type { LifecycleHandler, Probe } from "@coxswain/types/core-v1";
import { type AnyContainer, type Check, containersOf, named, namesByContext, namesWhere, plural, setters, sorted, uses } from "./check.ts";

const hostNamespaces: Check = {
  id: "hostNamespaces",
  level: "baseline",
  versions: [
    {
      since: 0,
      check({ spec }) {
        const used = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field]).map((field) => `${field}=true`);
        return used.length === 0 ? undefined : { reason: "host namespaces", detail: used.join(", ") };
      },
    },
  ],
};

const hostPathVolumes: Check = {
  id: "hostPathVolumes",
  level: "baseline",
  versions: [
    {
      since: 0,
      check({ spec }) {
        const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
        return names.length === 0 ? undefined : { reason: "hostPath volumes", detail: named("volume", names) };
      },
    },
  ],
};

const hostPorts: Check = {
  id: "hostPorts",
  level: "baseline",
  versions: [
    {
      since: 0,
      check(pod) {
        const portsOf = ({ ports = [] }: Readonly<AnyContainer>): string[] =>
          ports.flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
        const names = namesWhere(pod, (container) => portsOf(container).length > 0);
        if (names.length === 0) return undefined;
        const ports = sorted(containersOf(pod).flatMap(portsOf));
        return {
          reason: "hostPort",
          detail: `${named("container", names)} ${uses(names)} ${plural("hostPort", ports)} ${ports.join(", ")}`,
        };
      },
    },
  ],
};

const hostProbesAndHostLifecycle: Check = {
  id: "hostProbesAndHostLifecycle",
  level: "baseline",
  versions: [
    {
      since: 34,
      check(pod) {
        const names = sorted(namesWhere(pod, (container) => hostsOf(container).length > 0));
        if (names.length === 0) return undefined;
        const hosts = sorted(containersOf(pod).flatMap(hostsOf));
        const what = named("probe or lifecycle host", hosts);
        return { reason: "probe or lifecycle host", detail: `${named("container", names)} ${uses(names)} ${what}` };
      },
    },
  ],
};

function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Readonly<AnyContainer>): string[] {
  const handlers: readonly (Probe | LifecycleHandler | undefined)[] = [
    livenessProbe,
    readinessProbe,
    startupProbe,
    lifecycle?.postStart,
    lifecycle?.preStop,
  ];
  return handlers.flatMap((handler) => [handler?.httpGet?.host ?? "", handler?.tcpSocket?.host ?? ""]).filter((host) => host !== "");
}

const privileged: Check = {
  id: "privileged",
  level: "baseline",
  versions: [
    {
      since: 0,
      check(pod) {
        const names = namesByContext(pod, (context) => context.privileged === true);
        if (names.length === 0) return undefined;
        return { reason: "privileged", detail: `${named("container", names)} must not set securityContext.privileged=true` };
      },
    },
  ],
};

const windowsHostProcess: Check = {
  id: "windowsHostProcess",
  level: "baseline",
  versions: [
    {
      since: 0,
      check(pod) {
        const names = namesByContext(pod, ({ windowsOptions }) => windowsOptions?.hostProcess === true);
        const ofPod = pod.spec.securityContext?.windowsOptions?.hostProcess === true;
        if (!ofPod && names.length === 0) return undefined;
        return { reason: "hostProcess", detail: `${setters(ofPod, names)} must not set securityContext.windowsOptions.hostProcess=true` };
      },
    },
  ],
};

const safeSysctls = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
];
const sysctlsSince27 = [...safeSysctls, "net.ipv4.ip_local_reserved_ports"];
const sysctlsSince29 = [
  ...sysctlsSince27,
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
];
const sysctlsSince32 = [...sysctlsSince29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

const sysctls: Check = {
  id: "sysctls",
  level: "baseline",
  versions: (
    [
      [0, safeSysctls],
      [27, sysctlsSince27],
      [29, sysctlsSince29],
      [32, sysctlsSince32],
    ] as const
  ).map(([since, allowed]) => ({
    since,
    check({ spec }) {
      const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.includes(name));
      return names.length === 0 ? undefined : { reason: "forbidden sysctls", detail: names.join(", ") };
    },
  })),
};

export const hostChecks = [hostNamespaces, hostPathVolumes, hostPorts, hostProbesAndHostLifecycle, privileged, windowsHostProcess, sysctls];
