/** What the kubelet wants, in the runtime's messages. */
import type {
  ContainerConfig,
  ContainerSecurity,
  LinuxResources,
  Mount,
  MountedImage,
  NamespaceMode,
  SandboxConfig,
} from "../runtime/runtime-config.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import type {
  ContainerConfigInput,
  ImageSpecInput,
  LinuxContainerResourcesInput,
  LinuxContainerSecurityContextInput,
  LinuxSandboxSecurityContextInput,
  MountInput,
  NamespaceOptionInput,
  PodSandboxConfigInput,
  SecurityProfileInput,
} from "./messages/sent.ts";

export function toSandboxConfig(config: SandboxConfig, cgroupParent: string): PodSandboxConfigInput {
  const { pod, attempt, hostname, logDirectory, dns, portMappings, labels, annotations, sysctls } = config;
  return {
    metadata: { name: pod.name, uid: pod.uid, namespace: pod.namespace, attempt },
    hostname,
    logDirectory,
    ...(dns === undefined ? {} : { dnsConfig: dns }),
    portMappings,
    labels,
    annotations,
    linux: {
      cgroupParent,
      sysctls,
      securityContext: {
        ...sharedSecurity(config.security),
        privileged: config.privileged,
        namespaceOptions: namespaceOptions(config, config.pid),
      },
    },
  };
}

export function toContainerConfig(config: ContainerConfig, sandbox: SandboxConfig): ContainerConfigInput {
  const { name, attempt, image, userImage, command, args, workingDir, labels, annotations, logPath, stdin, stdinOnce, tty } = config;
  return {
    metadata: { name, attempt },
    image: { image, userSpecifiedImage: userImage, runtimeHandler: sandbox.runtimeHandler },
    command,
    args,
    workingDir,
    envs: config.env.map((one) => ({ key: one.name, value: Buffer.from(one.value) })),
    mounts: config.mounts.map(toMount),
    devices: config.devices,
    labels,
    annotations,
    logPath,
    stdin,
    stdinOnce,
    tty,
    linux: { resources: toResources(config.resources), securityContext: containerSecurity(config, sandbox) },
    stopSignal: signalNumber(config.stopSignal),
  };
}

export function toResources(resources: LinuxResources): LinuxContainerResourcesInput {
  return {
    cpuPeriod: resources.cpuPeriod ?? 0,
    cpuQuota: resources.cpuQuota ?? 0,
    cpuShares: resources.cpuShares ?? 0,
    memoryLimitInBytes: resources.memoryLimitBytes ?? 0,
    oomScoreAdj: resources.oomScoreAdj ?? 0,
    cpusetCpus: resources.cpusetCpus ?? "",
    cpusetMems: resources.cpusetMems ?? "",
  };
}

/** In the order of their names, counted from 1; the real-time ones follow. */
const signals =
  "ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ"
    .split(" ")
    .map((name) => `SIG${name}`);
const firstRealTime = 35;
const lastRealTime = 65;

/** In the interface's own counting, which is not Linux'. `SIGRTMIN+3` and `SIGRTMAX-2` are among them; empty is the image's. */
export function signalNumber(signal: string): number {
  if (signal === "") return 0;
  const realTime = /^SIGRT(?:MIN(?:\+(\d+))?|MAX(?:-(\d+))?)$/.exec(signal);
  if (realTime !== null)
    return signal.startsWith("SIGRTMIN") ? firstRealTime + Number(realTime[1] ?? 0) : lastRealTime - Number(realTime[2] ?? 0);
  const index = signals.indexOf(signal);
  if (index < 0) throw new RuntimeError("refused", `unknown stop signal ${JSON.stringify(signal)}`);
  return index + 1;
}

function containerSecurity(config: ContainerConfig, sandbox: SandboxConfig): LinuxContainerSecurityContextInput {
  const { security, pid, targetId } = config;
  return {
    ...sharedSecurity(security),
    privileged: security.privileged,
    runAsUsername: security.runAsUsername,
    noNewPrivs: security.noNewPrivileges,
    capabilities: { addCapabilities: security.addCapabilities, dropCapabilities: security.dropCapabilities },
    maskedPaths: security.maskedPaths,
    readonlyPaths: security.readonlyPaths,
    namespaceOptions: { ...namespaceOptions(sandbox, pid), targetId },
  };
}

function sharedSecurity(security: ContainerSecurity): LinuxSandboxSecurityContextInput & LinuxContainerSecurityContextInput {
  return {
    readonlyRootfs: security.readonlyRootfs,
    supplementalGroups: security.supplementalGroups,
    supplementalGroupsPolicy: security.supplementalGroupsPolicy ?? "Merge",
    seccomp: profile(security.seccomp),
    ...(security.apparmor === undefined ? {} : { apparmor: profile(security.apparmor) }),
    ...(security.runAsUser === undefined ? {} : { runAsUser: { value: security.runAsUser } }),
    ...(security.runAsGroup === undefined ? {} : { runAsGroup: { value: security.runAsGroup } }),
  };
}

function profile({ type, localhostRef }: ContainerSecurity["seccomp"]): SecurityProfileInput {
  return { profileType: type, localhostRef };
}

function namespaceOptions({ network, ipc }: SandboxConfig, pid: NamespaceMode): NamespaceOptionInput {
  return { network: namespaceModes[network], ipc: namespaceModes[ipc], pid: namespaceModes[pid] };
}

const namespaceModes = { pod: "POD", container: "CONTAINER", node: "NODE", target: "TARGET" } as const;

const propagations = {
  private: "PROPAGATION_PRIVATE",
  hostToContainer: "PROPAGATION_HOST_TO_CONTAINER",
  bidirectional: "PROPAGATION_BIDIRECTIONAL",
} as const;

function toMount({ containerPath, hostPath, image, readOnly, propagation, recursiveReadOnly }: Mount): MountInput {
  return {
    ...(image === undefined ? {} : { image: toImageSpec(image), imageSubPath: image.subPath }),
    containerPath,
    hostPath,
    readonly: readOnly,
    propagation: propagations[propagation],
    recursiveReadOnly: recursiveReadOnly ?? false,
  };
}

function toImageSpec({ ref, reference, runtimeHandler, annotations }: MountedImage): ImageSpecInput {
  return { image: ref, userSpecifiedImage: reference, runtimeHandler, annotations };
}
