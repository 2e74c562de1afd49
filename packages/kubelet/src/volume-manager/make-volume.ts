/** Makes one volume, or brings it up to date. */
import { stat } from "node:fs/promises";
import type { coreV1 } from "@coxswain/api";
import { messageOf } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";
import { claimedVolume, claimOf } from "./claimed-volume.ts";
import { isInMemory, makeRoom, memorySize } from "./empty-dir.ts";
import { checkHostPath } from "./host-path.ts";
import { imageVolume } from "./image-volume.ts";
import { lasting, type MadeVolume, type VolumeMaker, volumePath } from "./made-volume.ts";
import { giveToGroup } from "./ownership.ts";
import { type PayloadSources, payloadOf } from "./payload.ts";
import { showPayload } from "./show-payload.ts";
import type { UsedVolume } from "./used-volumes.ts";

/** What cannot be made, in Kubernetes' words and as far as that goes. */
export class VolumeProblem extends Error {
  /** Whether it failed before there was anything to mount. */
  readonly early: boolean;

  constructor(early: boolean, message: string, cause: unknown) {
    super(message, { cause });
    this.early = early;
  }
}

export interface VolumeRequest {
  readonly pod: Pod;
  readonly used: UsedVolume;
  /** What the last call made of it. */
  readonly before: MadeVolume | undefined;
}

/** @throws VolumeProblem */
export async function makeVolume(maker: VolumeMaker, { pod, used, before }: VolumeRequest, sources: PayloadSources): Promise<MadeVolume> {
  const { volume } = used;
  if (before !== undefined && before.files === undefined) return before;
  const claim = claimOf(pod, volume);
  if (claim !== undefined) return await ofClaim(maker, pod, used, sources.signal);
  return await settingUp(volume.name, sources.signal, async () => {
    const payload = await payloadOf(pod, volume, sources);
    if (payload !== undefined) return await showPayload(maker, { pod, volume, payload, written: before?.files }, sources);
    if (volume.emptyDir !== undefined) return await empty(maker, pod, { name: volume.name, source: volume.emptyDir }, sources);
    if (volume.hostPath !== undefined) return await hostPath(maker, volume.hostPath, false);
    if (volume.image !== undefined) return await imageVolume(maker, pod, volume.name, sources.signal);
    throw unsupported(volume);
  });
}

async function empty(
  maker: VolumeMaker,
  pod: Pod,
  { name, source }: { readonly name: string; readonly source: coreV1.EmptyDirVolumeSource },
  { allocatable }: PayloadSources,
): Promise<MadeVolume> {
  const path = volumePath(maker, pod, "empty-dir", name);
  const inMemory = isInMemory(source);
  if (maker.writesFiles) {
    const sizeBytes = memorySize(pod, source.sizeLimit, allocatable().memory);
    const isNew = await makeRoom({ path, inMemory, sizeBytes }, maker.mounter);
    const { fsGroup } = pod.spec?.securityContext ?? {};
    if (isNew && fsGroup !== undefined) await giveToGroup(path, { group: fsGroup, readOnly: false, onRootMismatch: false });
  }
  return lasting({ path, readOnly: false, selinuxRelabel: true });
}

async function hostPath(
  { writesFiles }: VolumeMaker,
  { path, type = "" }: coreV1.HostPathVolumeSource,
  readOnly: boolean,
): Promise<MadeVolume> {
  if (writesFiles) await checkHostPath(path, type);
  return lasting({ path, readOnly, selinuxRelabel: false });
}

async function ofClaim(maker: VolumeMaker, pod: Pod, { volume, asFiles, asDevice }: UsedVolume, signal: AbortSignal): Promise<MadeVolume> {
  const claim = claimOf(pod, volume);
  if (claim === undefined) throw unsupported(volume);
  const claimed = await claimedVolume(maker.client, pod, claim, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new VolumeProblem(true, messageOf(error), error);
  });
  const { volume: behind, readOnly, isDevice } = claimed;
  const mode = isDevice ? "Block" : "Filesystem";
  if (asFiles && isDevice)
    throw new VolumeProblem(true, `volume ${volume.name} has volumeMode ${mode}, but is specified in volumeMounts`, undefined);
  if (asDevice && !isDevice)
    throw new VolumeProblem(true, `volume ${volume.name} has volumeMode ${mode}, but is specified in volumeDevices`, undefined);
  return await settingUp(behind.metadata?.name ?? "", signal, async () => {
    if (behind.spec?.hostPath !== undefined) return await hostPath(maker, behind.spec.hostPath, readOnly);
    if (behind.spec?.local !== undefined) return await local(maker, pod, behind.spec.local, readOnly);
    throw unsupported(behind.spec ?? {});
  });
}

async function local(maker: VolumeMaker, pod: Pod, { path }: coreV1.LocalVolumeSource, readOnly: boolean): Promise<MadeVolume> {
  if (path.split("/").includes("..")) throw new Error(`invalid path: ${path} must not contain '..'`);
  if (maker.writesFiles) {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) throw new Error(`path ${JSON.stringify(path)} does not exist`);
    const { fsGroup, fsGroupChangePolicy } = pod.spec?.securityContext ?? {};
    if (fsGroup !== undefined && !readOnly && found.isDirectory())
      await giveToGroup(path, { group: fsGroup, readOnly, onRootMismatch: fsGroupChangePolicy === "OnRootMismatch" });
  }
  return lasting({ path, readOnly, selinuxRelabel: true });
}

/** Names the volume as Kubernetes' messages do. */
async function settingUp(name: string, signal: AbortSignal, make: () => Promise<MadeVolume>): Promise<MadeVolume> {
  try {
    return await make();
  } catch (error) {
    signal.throwIfAborted();
    throw new VolumeProblem(false, `MountVolume.SetUp failed for volume ${JSON.stringify(name)} : ${messageOf(error)}`, error);
  }
}

/** Names the member that says what is wanted. */
function unsupported(source: object): Error {
  const csi: unknown = "csi" in source ? source.csi : undefined;
  if (typeof csi === "object" && csi !== null && "driver" in csi)
    return new Error(
      `kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: driver name ${csi.driver} not found in the list of registered CSI drivers`,
    );
  const kind = Object.keys(source).find((key) => !notSources.has(key)) ?? "nothing";
  return new Error(`no volume plugin matched: this kubelet has none for ${kind}`);
}

/** What a volume says besides where it is. */
const notSources = new Set(
  "name accessModes capacity claimRef mountOptions nodeAffinity persistentVolumeReclaimPolicy storageClassName volumeMode volumeAttributesClassName".split(
    " ",
  ),
);
