/** The configuration of a Pod's sandbox for the runtime. */
import type { Pod } from "../../pod/pod.ts";
import { podLogDirectory } from "../../pod/pod-directories.ts";
import { podLabels } from "../../runtime/labels.ts";
import type { PodIdentity, PortMapping, SandboxConfig } from "../../runtime/runtime-config.ts";
import type { DnsConfig } from "./dns.ts";
import { hostNameOf, kernelHostName } from "./host-name.ts";
import { cgroupParent } from "./linux-resources.ts";
import { hasPrivileged, pidNamespace, sandboxSecurity } from "./security.ts";

export interface SandboxSettings {
  readonly logsDir: string;
  readonly cgroupRoot: string;
  readonly clusterDomain: string;
  readonly dns: DnsConfig;
  readonly runtimeHandler: string;
}

/** @throws Error in Kubernetes' words */
export function sandboxConfig(pod: Pod, attempt: number, settings: SandboxSettings): SandboxConfig {
  const { metadata, spec } = pod;
  if (spec?.hostUsers === false) throw new Error("can't set `spec.hostUsers: false`, runtime does not support user namespaces");
  const identity = identityOf(pod);
  return {
    pod: identity,
    attempt,
    hostname: spec?.hostNetwork === true ? "" : kernelHostName(pod, hostNameOf(pod, settings.clusterDomain)),
    logDirectory: podLogDirectory(settings.logsDir, pod),
    dns: settings.dns,
    portMappings: portMappings(pod),
    labels: { ...metadata?.labels, ...podLabels(identity) },
    annotations: { ...metadata?.annotations },
    cgroupParent: cgroupParent(pod, settings.cgroupRoot),
    network: spec?.hostNetwork === true ? "node" : "pod",
    pid: pidNamespace(pod),
    ipc: spec?.hostIPC === true ? "node" : "pod",
    sysctls: Object.fromEntries((spec?.securityContext?.sysctls ?? []).map(({ name, value }) => [name, value])),
    privileged: hasPrivileged(pod),
    security: sandboxSecurity(pod),
    runtimeHandler: settings.runtimeHandler,
  };
}

export const identityOf = ({ metadata }: Pod): PodIdentity => ({
  uid: metadata?.uid ?? "",
  namespace: metadata?.namespace ?? "",
  name: metadata?.name ?? "",
});

const portMappings = ({ spec }: Pod): readonly PortMapping[] =>
  (spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports.map(({ containerPort, hostPort = 0, hostIP = "", protocol }) => ({
      protocol: protocol === "UDP" || protocol === "SCTP" ? protocol : "TCP",
      containerPort,
      hostPort,
      hostIp: hostIP,
    })),
  );
