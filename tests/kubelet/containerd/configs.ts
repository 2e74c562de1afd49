/** The least that a sandbox and a container can be asked for. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  type ContainerConfig,
  type ContainerSecurity,
  containerNameLabel,
  type PodIdentity,
  podLabels,
  type SandboxConfig,
} from "@coxswain/kubelet";
import { cgroupRootOf } from "./cgroup-root.ts";
import type { Containerd } from "./containerd.ts";
import { images } from "./images.ts";

export function sandboxConfig(containerd: Containerd, pod: PodIdentity, more: Partial<SandboxConfig> = {}): SandboxConfig {
  const logDirectory = join(containerd.folder, "pods", `${pod.namespace}_${pod.name}_${pod.uid}`);
  mkdirSync(logDirectory, { recursive: true });
  return {
    pod,
    attempt: 0,
    hostname: pod.name,
    logDirectory,
    dns: { servers: ["10.96.0.10"], searches: ["default.svc.cluster.local"], options: ["ndots:5"] },
    portMappings: [],
    labels: podLabels(pod),
    annotations: {},
    cgroupParent: `${cgroupRootOf(containerd)}/${pod.uid}`,
    network: "pod",
    pid: "container",
    ipc: "pod",
    sysctls: {},
    privileged: false,
    security,
    runtimeHandler: "",
    ...more,
  };
}

export function containerConfig(sandbox: SandboxConfig, name: string, more: Partial<ContainerConfig> = {}): ContainerConfig {
  mkdirSync(join(sandbox.logDirectory, name), { recursive: true });
  return {
    name,
    attempt: 0,
    image: images.shell,
    userImage: images.shell,
    command: [],
    args: [],
    workingDir: "",
    env: [],
    mounts: [],
    devices: [],
    labels: { ...podLabels(sandbox.pod), [containerNameLabel]: name },
    annotations: {},
    logPath: `${name}/0.log`,
    stdin: false,
    stdinOnce: false,
    tty: false,
    resources: {},
    security,
    pid: "container",
    targetId: "",
    stopSignal: "",
    ...more,
  };
}

const security: ContainerSecurity = {
  privileged: false,
  readonlyRootfs: false,
  noNewPrivileges: false,
  runAsUser: undefined,
  runAsUsername: "",
  runAsGroup: undefined,
  supplementalGroups: [],
  addCapabilities: [],
  dropCapabilities: [],
  seccomp: { type: "RuntimeDefault", localhostRef: "" },
  apparmor: undefined,
  maskedPaths: [],
  readonlyPaths: [],
};
