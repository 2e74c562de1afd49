/** What Pod workers rely on, each in a folder of its own, so that each can be tested and replaced alone. */
import type { RuntimeDependencies } from "../kuberuntime/sync-context.ts";
import type { ProbeManager } from "../prober/prober-manager.ts";
import type { VolumeManager } from "../volume-manager/volume-manager.ts";

/** The managers of one node behind its Pod workers. */
export interface PodWorkerDependencies extends RuntimeDependencies {
  readonly volumes: VolumeManager;
  readonly probes: ProbeManager;
}
