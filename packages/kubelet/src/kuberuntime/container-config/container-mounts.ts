/** What of the node a container sees: its volumes, its Pod's `/etc/hosts`, and the file for its last message. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { coreV1 } from "@coxswain/api";
import { goQuote } from "@coxswain/machinery";
import { expandAll } from "../../pod/expand.ts";
import { podDirectories, safeName } from "../../pod/pod-directories.ts";
import type { ContainerConfig, Mount } from "../../runtime/runtime-config.ts";
import type { Mounter } from "../../volume-manager/mounter.ts";
import { checkSubPath, prepareSubPath } from "../../volume-manager/sub-path.ts";
import type { ContainerRequest } from "./container-request.ts";

export interface MountSettings {
  readonly rootDir: string;
  readonly mounter: Mounter | undefined;
  /** Of what is mounted below a mount, too, where the runtime can. */
  readonly recursiveReadOnly: boolean;
}

const hostsPath = "/etc/hosts";

/** @throws Error in Kubernetes' words */
export async function volumeMounts(
  { pod, container, volumes, imageVolumes }: ContainerRequest,
  environment: ReadonlyMap<string, string>,
  settings: MountSettings,
): Promise<readonly Mount[]> {
  const mounts: Mount[] = [];
  const directories = podDirectories(settings.rootDir, pod.metadata?.uid ?? "");
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const volume = volumes.get(mount.name);
    if (volume === undefined)
      throw new Error(`cannot find volume ${goQuote(mount.name)} to mount into container ${goQuote(container.name)}`);
    const { subPathExpr = "" } = mount;
    const subPath = subPathExpr === "" ? (mount.subPath ?? "") : expandAll(subPathExpr, environment);
    if (subPath !== "") checkSubPath(subPath);
    const image = imageVolumes.get(mount.name);
    const target = join(directories.subPaths, safeName(mount.name), safeName(container.name), String(index));
    const part = { volumePath: volume.path, subPath, target };
    const recursiveReadOnly = isRecursivelyReadOnly(mount, settings.recursiveReadOnly);
    mounts.push({
      containerPath: isAbsolute(mount.mountPath) ? mount.mountPath : `/${mount.mountPath}`,
      hostPath: subPath === "" || image !== undefined ? volume.path : await partOf(mount, container.name, part, settings),
      ...(image === undefined ? {} : { image: { ...image, subPath } }),
      readOnly: mount.readOnly === true || volume.readOnly,
      propagation: propagationOf(mount),
      ...(recursiveReadOnly ? { recursiveReadOnly } : {}),
    });
  }
  return mounts;
}

/** Undefined where the container brings its own. */
export async function hostsMount(
  { pod, container }: ContainerRequest,
  content: string | undefined,
  rootDir: string,
): Promise<Mount | undefined> {
  if (content === undefined || container.volumeMounts?.some(({ mountPath }) => mountPath === hostsPath)) return undefined;
  const { root, hostsFile } = podDirectories(rootDir, pod.metadata?.uid ?? "");
  await mkdir(root, { recursive: true, mode: 0o750 });
  await writeFile(hostsFile, content, { mode: 0o644 });
  await chmod(hostsFile, 0o644);
  return { containerPath: hostsPath, hostPath: hostsFile, readOnly: false, propagation: "private" };
}

/** A file of each attempt's own, that any user of the container may write. */
export async function messageMount({ pod, container }: ContainerRequest, id: string, rootDir: string): Promise<Mount | undefined> {
  const { terminationMessagePath = "" } = container;
  if (terminationMessagePath === "") return undefined;
  const directory = podDirectories(rootDir, pod.metadata?.uid ?? "").messages(container.name);
  await mkdir(directory, { recursive: true, mode: 0o750 });
  const hostPath = join(directory, id);
  await writeFile(hostPath, "");
  await chmod(hostPath, 0o666);
  return { containerPath: terminationMessagePath, hostPath, readOnly: false, propagation: "private" };
}

/** Raw devices of claims. @throws Error in Kubernetes' words */
export function volumeDevices({ container, volumes }: ContainerRequest): ContainerConfig["devices"] {
  return (container.volumeDevices ?? []).map(({ name, devicePath }) => {
    if (!isAbsolute(devicePath)) throw new Error(`error DevicePath \`${devicePath}\` must be an absolute path`);
    const volume = volumes.get(name);
    if (volume === undefined) throw new Error(`cannot find volume ${goQuote(name)} to pass into container ${goQuote(container.name)}`);
    return { containerPath: devicePath, hostPath: volume.path, permissions: volume.readOnly ? "r" : "mrw" };
  });
}

/** Messages do not reveal paths of the node. */
async function partOf(
  { name }: coreV1.VolumeMount,
  container: string,
  part: Parameters<typeof prepareSubPath>[0],
  { mounter }: MountSettings,
): Promise<string> {
  try {
    return await prepareSubPath(part, mounter);
  } catch (error) {
    throw new Error(`failed to prepare subPath for volumeMount ${goQuote(name)} of container ${goQuote(container)}`, { cause: error });
  }
}

function propagationOf({ mountPropagation: mode = "None" }: coreV1.VolumeMount): Mount["propagation"] {
  switch (mode) {
    case "None":
      return "private";
    case "HostToContainer":
      return "hostToContainer";
    case "Bidirectional":
      return "bidirectional";
    default:
      throw new Error(`invalid MountPropagation mode: ${goQuote(mode)}`);
  }
}

function isRecursivelyReadOnly({ name, readOnly, recursiveReadOnly: mode = "Disabled" }: coreV1.VolumeMount, supported: boolean): boolean {
  if (mode === "Disabled") return false;
  const fail = (what: string): Error => new Error(`failed to resolve recursive read-only mode: ${what}`);
  const asked = `volume ${goQuote(name)} requested recursive read-only mode, but it is`;
  if (readOnly !== true) throw fail(`${asked} not read-only`);
  if (mode === "IfPossible") return supported;
  if (mode !== "Enabled") throw fail(`unknown recursive read-only mode ${goQuote(mode)}`);
  if (!supported) throw fail(`${asked} not supported by the runtime`);
  return true;
}
