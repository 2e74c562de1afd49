/** Volumes whose files follow the API. */
import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { coreV1 } from "@coxswain/api";
import type { Pod } from "../pod/pod.ts";
import { type Payload, writeAtomically } from "./atomic-writer.ts";
import { makeRoom, memorySize } from "./empty-dir.ts";
import { type MadeVolume, type VolumeMaker, volumePath } from "./made-volume.ts";
import { giveToGroup } from "./ownership.ts";
import type { MadePayload, PayloadSources } from "./payload.ts";
import { nestedMountPoints } from "./used-volumes.ts";

export interface ShownPayload {
  readonly pod: Pod;
  readonly volume: coreV1.Volume;
  readonly payload: MadePayload;
  /** What is known to be there already. */
  readonly written: Payload | undefined;
}

export async function showPayload(
  maker: VolumeMaker,
  { pod, volume, payload: { files, renewAt }, written }: ShownPayload,
  { allocatable }: PayloadSources,
): Promise<MadeVolume> {
  const kind = kindOf(volume) ?? "";
  const path = volumePath(maker, pod, kind, volume.name);
  // What is not read is not kept either: there may be many thousand Pods of this kind.
  if (!maker.writesFiles) return { ...shownAt(path), files: nothing, renewAt };
  const made = { ...shownAt(path), files, renewAt };
  if (written !== undefined && isSame(written, files)) return made;
  // What is secret is on no disk.
  const sizeBytes = memorySize(pod, undefined, allocatable().memory);
  await makeRoom({ path, inMemory: kind !== "configmap", sizeBytes }, maker.mounter);
  for (const point of nestedMountPoints(pod, volume.name)) await mkdir(join(path, point), { recursive: true, mode: 0o755 });
  const { fsGroup } = pod.spec?.securityContext ?? {};
  await writeAtomically(path, files, maker.client.clock.now(), async () => {
    if (fsGroup !== undefined) await giveToGroup(path, { group: fsGroup, readOnly: true, onRootMismatch: false });
  });
  return made;
}

/** What an earlier kubelet wrote, good enough until it can be brought up to date. */
export async function standingVolume(maker: VolumeMaker, pod: Pod, volume: coreV1.Volume): Promise<MadeVolume | undefined> {
  const kind = kindOf(volume);
  if (kind === undefined || !maker.writesFiles) return undefined;
  const path = volumePath(maker, pod, kind, volume.name);
  const found = await lstat(join(path, "..data")).catch(() => undefined);
  return found === undefined ? undefined : { ...shownAt(path), files: nothing, renewAt: Number.POSITIVE_INFINITY };
}

const nothing: Payload = new Map();

const shownAt = (path: string): Pick<MadeVolume, "mounted"> => ({ mounted: { path, readOnly: true, selinuxRelabel: true } });

function kindOf({ configMap, secret, projected, downwardAPI }: coreV1.Volume): string | undefined {
  if (configMap !== undefined) return "configmap";
  if (secret !== undefined) return "secret";
  if (projected !== undefined) return "projected";
  return downwardAPI === undefined ? undefined : "downward-api";
}

function isSame(a: Payload, b: Payload): boolean {
  if (a.size !== b.size) return false;
  for (const [path, file] of a) {
    const other = b.get(path);
    if (other === undefined || other.mode !== file.mode || Buffer.compare(file.data, other.data) !== 0) return false;
  }
  return true;
}
