/** What of a Pod's volumes its containers want, and how. */
import { normalize } from "node:path";
import type { coreV1 } from "@coxswain/api";
import { allContainers } from "../object-managers/pod-references.ts";
import type { Pod } from "../pod/pod.ts";

export interface UsedVolume {
  readonly volume: coreV1.Volume;
  readonly asFiles: boolean;
  readonly asDevice: boolean;
}

/** Volumes that no container wants are not made. */
export function usedVolumes({ spec }: Pod): readonly UsedVolume[] {
  const containers = allContainers(spec);
  const mounted = new Set(containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)));
  const devices = new Set(containers.flatMap(({ volumeDevices = [] }) => volumeDevices.map(({ name }) => name)));
  return (spec?.volumes ?? [])
    .map((volume) => ({ volume, asFiles: mounted.has(volume.name), asDevice: devices.has(volume.name) }))
    .filter(({ asFiles, asDevice }) => asFiles || asDevice);
}

/** Directories in a volume on which others are mounted: where it is read-only, the runtime could not make them. */
export function nestedMountPoints({ spec }: Pod, name: string): readonly string[] {
  const found = new Set<string>();
  for (const { volumeMounts = [] } of allContainers(spec)) {
    const points = volumeMounts.map((mount) => normalize(mount.mountPath).replace(/\/$/, "")).sort();
    for (const mount of volumeMounts) {
      if (mount.name !== name) continue;
      const base = normalize(mount.mountPath).replace(/\/$/, "");
      if (base.startsWith("../")) throw new Error(`invalid container mount point ${base}`);
      const outermost: string[] = [];
      for (const point of points) {
        if (!point.startsWith(`${base}/`) || outermost.some((outer) => point.startsWith(`${outer}/`))) continue;
        outermost.push(point);
        found.add(point.slice(base.length + 1));
      }
    }
  }
  return [...found];
}
