/**
 * The user and the privileges of a container's processes: what the container says, else what its Pod says.
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/security-context/
 */
import { join } from "node:path";
import type { coreV1 } from "@coxswain/api";
import { goQuote, validateUserId } from "@coxswain/machinery";
import type { Container, Pod } from "../../pod/pod.ts";
import type { ContainerSecurity, NamespaceMode } from "../../runtime/runtime-config.ts";
import type { ContainerRequest } from "./container-request.ts";

type Profile = ContainerSecurity["seccomp"];

/** As the runtimes themselves hide them. */
const maskedPaths = [
  ..."asound acpi interrupts kcore keys latency_stats timer_list timer_stats sched_debug scsi".split(" ").map((name) => `/proc/${name}`),
  "/sys/firmware",
  "/sys/devices/virtual/powercap",
];
const readonlyPaths = "bus fs irq sys sysrq-trigger".split(" ").map((name) => `/proc/${name}`);

/** @throws Error in Kubernetes' words */
export function containerSecurity(
  pod: Pod,
  container: Container,
  image: ContainerRequest["image"],
  seccompRoot: string,
): ContainerSecurity {
  const ofPod = pod.spec?.securityContext;
  const own = container.securityContext;
  verifyNonRoot(pod, container, image);
  const runAsUser = own?.runAsUser ?? ofPod?.runAsUser;
  const unmasked = own?.procMount === "Unmasked";
  return {
    privileged: own?.privileged === true,
    readonlyRootfs: own?.readOnlyRootFilesystem === true,
    noNewPrivileges: own?.allowPrivilegeEscalation === false,
    runAsUser: runAsUser ?? imageUser(image),
    runAsUsername: runAsUser === undefined && image.uid === undefined ? image.username : "",
    runAsGroup: own?.runAsGroup ?? ofPod?.runAsGroup,
    ...groupsOf(pod),
    addCapabilities: own?.capabilities?.add ?? [],
    dropCapabilities: own?.capabilities?.drop ?? [],
    seccomp: seccompOf(own?.seccompProfile ?? ofPod?.seccompProfile, seccompRoot),
    apparmor: apparmorOf(own?.appArmorProfile ?? ofPod?.appArmorProfile),
    maskedPaths: unmasked ? [] : maskedPaths,
    readonlyPaths: unmasked ? [] : readonlyPaths,
  };
}

/** Of the process that holds the Pod's namespaces. */
export function sandboxSecurity(pod: Pod): ContainerSecurity {
  const ofPod = pod.spec?.securityContext;
  return {
    privileged: hasPrivileged(pod),
    readonlyRootfs: false,
    noNewPrivileges: false,
    runAsUser: ofPod?.runAsUser,
    runAsUsername: "",
    runAsGroup: ofPod?.runAsGroup,
    ...groupsOf(pod),
    addCapabilities: [],
    dropCapabilities: [],
    seccomp: { type: "RuntimeDefault", localhostRef: "" },
    apparmor: undefined,
    maskedPaths: [],
    readonlyPaths: [],
  };
}

export const hasPrivileged = ({ spec }: Pod): boolean =>
  [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].some((one) => one.securityContext?.privileged === true);

export function pidNamespace({ spec }: Pod): NamespaceMode {
  if (spec?.hostPID === true) return "node";
  return spec?.shareProcessNamespace === true ? "pod" : "container";
}

/** An image that says nothing runs as root. */
const imageUser = ({ uid, username }: ContainerRequest["image"]): number | undefined => uid ?? (username === "" ? 0 : undefined);

function groupsOf({ spec }: Pod): Pick<ContainerSecurity, "supplementalGroups" | "supplementalGroupsPolicy"> {
  const { fsGroup, supplementalGroups = [], supplementalGroupsPolicy: policy } = spec?.securityContext ?? {};
  return {
    supplementalGroups: fsGroup === undefined ? supplementalGroups : [fsGroup, ...supplementalGroups],
    ...(policy === "Merge" || policy === "Strict" ? { supplementalGroupsPolicy: policy } : {}),
  };
}

function seccompOf(profile: coreV1.SeccompProfile | undefined, root: string): Profile {
  if (profile?.type === "RuntimeDefault") return { type: "RuntimeDefault", localhostRef: "" };
  if (profile?.type !== "Localhost") return { type: "Unconfined", localhostRef: "" };
  const { localhostProfile = "" } = profile;
  if (localhostProfile === "") throw new Error("localhostProfile must be set if seccompProfile type is Localhost.");
  return { type: "Localhost", localhostRef: join(root, localhostProfile) };
}

function apparmorOf(profile: coreV1.AppArmorProfile | undefined): Profile | undefined {
  if (profile === undefined) return undefined;
  const { type, localhostProfile } = profile;
  if (type === "RuntimeDefault" || type === "Unconfined") return { type, localhostRef: "" };
  if (type !== "Localhost") throw new Error(`unknown apparmor profile type: ${goQuote(type)}`);
  if (localhostProfile === undefined) throw new Error("missing localhost apparmor profile name");
  return { type, localhostRef: localhostProfile };
}

function verifyNonRoot(pod: Pod, container: Container, { uid, username }: ContainerRequest["image"]): void {
  const ofPod = pod.spec?.securityContext;
  const own = container.securityContext;
  if ((own?.runAsNonRoot ?? ofPod?.runAsNonRoot) !== true) return;
  const { namespace = "", name = "", uid: podUid = "" } = pod.metadata ?? {};
  const where = `(pod: ${goQuote(`${name}_${namespace}(${podUid})`)}, container: ${container.name})`;
  const user = own?.runAsUser ?? ofPod?.runAsUser;
  if (user !== undefined) {
    if (user === 0) throw new Error(`container's runAsUser breaks non-root policy ${where}`);
    return;
  }
  if (uid === undefined && username !== "")
    throw new Error(`container has runAsNonRoot and image has non-numeric user (${username}), cannot verify user is non-root ${where}`);
  if ((uid ?? 0) === 0) throw new Error(`container has runAsNonRoot and image will run as root ${where}`);
  const problems = validateUserId(uid ?? 0);
  if (problems.length > 0) {
    const what = `container has runAsNonRoot and image has an invalid user id (${uid}). (Must be 1-(2147483647))`;
    throw new Error(`${what}: ${problems.join("; ")} ${where}`);
  }
}
