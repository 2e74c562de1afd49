/**
 * Images as volumes. The runtime mounts them: here is asked only whether it can.
 * @see https://kep.k8s.io/4639
 */
import { allContainers } from "../object-managers/pod-references.ts";
import type { Pod } from "../pod/pod.ts";
import { lasting, type MadeVolume, type VolumeMaker } from "./made-volume.ts";

/** @throws Error with what the runtime cannot mount */
export async function imageVolume({ imageVolumes }: VolumeMaker, pod: Pod, name: string, signal: AbortSignal): Promise<MadeVolume> {
  const { images, subPaths } = await imageVolumes(signal);
  if (images !== undefined) throw new Error(images);
  if (subPaths !== undefined && isMountedInPart(pod, name)) throw new Error(subPaths);
  return lasting({ path: "", readOnly: true, selinuxRelabel: false });
}

const isMountedInPart = ({ spec }: Pod, volume: string): boolean =>
  allContainers(spec).some(({ volumeMounts = [] }) =>
    volumeMounts.some(({ name, subPath = "", subPathExpr = "" }) => name === volume && (subPath !== "" || subPathExpr !== "")),
  );
