/** What a container's configuration is made from. */
import type { PresentImage } from "../../image-manager/image-manager.ts";
import type { Container, Pod } from "../../pod/pod.ts";
import type { Mount, MountedImage } from "../../runtime/runtime-config.ts";
import type { ContainerStatus } from "../../runtime/runtime-status.ts";
import type { MountedVolumes } from "../../volume-manager/mounted-volumes.ts";

/** One attempt at a container: its spec, and what was made for it before. */
export interface ContainerRequest {
  readonly pod: Pod;
  readonly container: Container;
  readonly attempt: number;
  readonly image: PresentImage;
  readonly podIps: readonly string[];
  readonly volumes: MountedVolumes;
  /** Of the volumes that are images, by name. */
  readonly imageVolumes: ReadonlyMap<string, MountedImage>;
  /** Running and ended containers of the Pod, for `targetContainerName`. */
  readonly others: readonly ContainerStatus[];
  /** More mounts: the termination log and `/etc/hosts` are made by the implementation itself. */
  readonly extraMounts?: readonly Mount[];
}
