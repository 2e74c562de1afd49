import { field } from "@coxswain/machinery";
import type { Container, EphemeralContainer, VolumeDevice, VolumeMount } from "@coxswain/types/core-v1";
import { type Errors, oneOf, requiredText } from "../checks.ts";
import { descendingPath } from "../paths.ts";
import type { Volumes } from "./volumes.ts";

const propagations = ["Bidirectional", "HostToContainer", "None"];

export function validateVolumeMounts(
  out: Errors,
  path: string,
  container: Readonly<Container | EphemeralContainer>,
  volumes: Volumes,
): void {
  const { volumeMounts, volumeDevices = [] } = container;
  if (!volumeMounts?.length) return;
  const points = new Set<string>();
  const privileged = container.securityContext?.privileged === true;
  volumeMounts.forEach((mount, i) => {
    const at = `${path}[${i}]`;
    requiredText(out, `${at}.name`, mount.name);
    const volume = volumes.get(mount.name);
    if (volume === undefined) out.push(field.notFound(`${at}.name`, mount.name));
    requiredText(out, `${at}.mountPath`, mount.mountPath);
    if (points.has(mount.mountPath)) out.push(field.invalid(`${at}.mountPath`, mount.mountPath, "must be unique"));
    points.add(mount.mountPath);
    if (volumeDevices.some((d) => d.name === mount.name)) {
      out.push(field.invalid(`${at}.name`, mount.name, "must not already exist in volumeDevices"));
    }
    if (volumeDevices.some((d) => d.devicePath === mount.mountPath)) {
      out.push(field.invalid(`${at}.mountPath`, mount.mountPath, "must not already exist as a path in volumeDevices"));
    }
    validateSubPaths(out, path, at, mount);
    validatePropagation(out, path, mount, privileged);
  });
}

/** The list's own path is in some of these messages: that is how Kubernetes reports them. */
function validateSubPaths(out: Errors, path: string, at: string, { subPath, subPathExpr }: VolumeMount): void {
  if (subPath) descendingPath(out, `${path}.subPath`, subPath);
  if (!subPathExpr) return;
  if (subPath) out.push(field.invalid(`${at}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive"));
  descendingPath(out, `${path}.subPathExpr`, subPathExpr);
}

function validatePropagation(out: Errors, path: string, mount: VolumeMount, privileged: boolean): void {
  const { mountPropagation, recursiveReadOnly } = mount;
  oneOf(out, `${path}.mountPropagation`, mountPropagation, propagations);
  if (mountPropagation === "Bidirectional" && !privileged) {
    out.push(field.forbidden(`${path}.mountPropagation`, "Bidirectional mount propagation is available only to privileged containers"));
  }
  const at = `${path}.recursiveReadOnly`;
  oneOf(out, at, recursiveReadOnly, ["Disabled", "Enabled", "IfPossible"]);
  if (recursiveReadOnly !== "Enabled" && recursiveReadOnly !== "IfPossible") return;
  if (!mount.readOnly) out.push(field.forbidden(at, "may only be specified when readOnly is true"));
  if (mountPropagation !== undefined && mountPropagation !== "None") {
    out.push(field.forbidden(at, "may only be specified when mountPropagation is None or not specified"));
  }
}

export function validateVolumeDevices(
  out: Errors,
  path: string,
  container: Readonly<Container | EphemeralContainer>,
  volumes: Volumes,
): void {
  const { volumeDevices, volumeMounts = [] } = container;
  const names = new Set<string>();
  const paths = new Set<string>();
  volumeDevices?.forEach((device, i) => {
    const at = `${path}[${i}]`;
    requiredText(out, `${at}.name`, device.name);
    if (names.has(device.name)) out.push(field.invalid(`${at}.name`, device.name, "must be unique"));
    if (device.name) names.add(device.name);
    validateBlockVolume(out, `${at}.name`, device.name, volumes);
    validateDevicePath(out, `${at}.devicePath`, device, paths);
    if (volumeMounts.some((m) => m.name === device.name)) {
      out.push(field.invalid(`${at}.name`, device.name, "must not already exist in volumeMounts"));
    }
    if (volumeMounts.some((m) => m.mountPath === device.devicePath)) {
      out.push(field.invalid(`${at}.devicePath`, device.devicePath, "must not already exist as a path in volumeMounts"));
    }
  });
}

function validateBlockVolume(out: Errors, path: string, name: string, volumes: Volumes): void {
  const volume = volumes.get(name);
  if (volume === undefined) out.push(field.notFound(path, name));
  else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
    out.push(field.invalid(path, name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"));
  }
}

function validateDevicePath(out: Errors, path: string, { devicePath }: VolumeDevice, seen: Set<string>): void {
  requiredText(out, path, devicePath);
  if (seen.has(devicePath)) out.push(field.invalid(path, devicePath, "must be unique"));
  if (devicePath?.split("/").includes("..")) out.push(field.invalid(path, devicePath, "can not contain backsteps ('..')"));
  else seen.add(devicePath);
}
