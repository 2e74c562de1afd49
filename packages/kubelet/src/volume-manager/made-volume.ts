/** What is known of one volume of a Pod, and with what volumes are made. */
import { join } from "node:path";
import type { Client } from "@coxswain/client";
import type { Pod } from "../pod/pod.ts";
import { podDirectories, safeName } from "../pod/pod-directories.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { Payload } from "./atomic-writer.ts";
import type { MountedVolumes } from "./mounted-volumes.ts";
import type { Mounter } from "./mounter.ts";

export interface VolumeMaker {
  readonly rootDir: string;
  readonly client: Client;
  readonly mounter: Mounter | undefined;
  /** Whether containers are real, and need to find something in their volumes. */
  readonly writesFiles: boolean;
  /** What the runtime cannot mount of images. */
  readonly imageVolumes: NonNullable<PodRuntime["imageVolumes"]>;
}

export interface MadeVolume {
  readonly mounted: MountedVolumes extends ReadonlyMap<string, infer V> ? V : never;
  /** What was written, of a volume that follows the API. */
  readonly files: Payload | undefined;
  /** When a file of it grows old; milliseconds since the epoch. */
  readonly renewAt: number;
}

/** Nothing is to be brought up to date in it. */
export const lasting = (mounted: MadeVolume["mounted"]): MadeVolume => ({ mounted, files: undefined, renewAt: Number.POSITIVE_INFINITY });

export const volumePath = ({ rootDir }: VolumeMaker, { metadata }: Pod, kind: string, name: string): string =>
  join(podDirectories(rootDir, metadata?.uid ?? "").volumes, `kubernetes.io~${kind}`, safeName(name));
