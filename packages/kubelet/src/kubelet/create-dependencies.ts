/** What Pod workers rely on, for a node with a machine of its own. */
import type { coreV1 } from "@coxswain/api";
import type { Informer, MetricsRegistry } from "@coxswain/client";
import { createImages, type NodeImages } from "../image-manager/image-manager.ts";
import { createPodConfigs } from "../kuberuntime/container-config/config-generator.ts";
import { createHooks } from "../lifecycle/hooks.ts";
import { createServiceAccountTokens } from "../object-managers/token-manager.ts";
import { createReferencedObjects } from "../object-managers/watch-based-manager.ts";
import type { PodWorkerDependencies } from "../pod-workers/dependencies.ts";
import { networkDial } from "../probe/network-dial.ts";
import { createProbes } from "../prober/prober-manager.ts";
import { mounterOfThisProcess } from "../volume-manager/mounter.ts";
import { createPodVolumes } from "../volume-manager/volume-manager.ts";
import type { KubeletOptions } from "./kubelet-options.ts";

/** What all Pods of a node need to know of. */
export interface DependencyContext {
  readonly services: Informer<coreV1.Service>;
  /** Of a RuntimeClass. */
  readonly handlerOf: (className: string) => string | undefined;
  /** What the node has for Pods. */
  readonly allocatable: () => Readonly<Record<string, string>>;
  /** What a Pod's volumes show has changed. */
  readonly changed: (podUid: string) => void;
  readonly probeMetrics: MetricsRegistry;
  /** Ends what has to end with the kubelet. */
  readonly stack: AsyncDisposableStack;
}

export function createDependencies(
  options: KubeletOptions,
  context: DependencyContext,
): PodWorkerDependencies & { readonly images: NodeImages } {
  const { client, identity, runtime, rootDir, logsDir, events, random, log, hasMachine = true } = options;
  const { cgroupRoot, masterService, clusterDns } = options;
  const { services, handlerOf, allocatable, changed, probeMetrics, stack } = context;
  const { clock } = client;
  const dial = options.dial ?? networkDial(clock);
  const objects = stack.use(createReferencedObjects(client));
  const mounter = hasMachine ? mounterOfThisProcess() : undefined;
  const { addresses, memoryBytes } = identity.machine;
  return {
    runtime,
    volumes: stack.use(
      createPodVolumes({
        rootDir,
        client,
        objects,
        tokens: createServiceAccountTokens(client, log),
        events,
        allocatable,
        changed,
        mounter,
        writesFiles: hasMachine,
      }),
    ),
    configs: createPodConfigs({
      rootDir,
      logsDir,
      objects,
      services,
      runtimeHandler: handlerOf,
      node: () => ({ hostIps: addresses, allocatable: allocatable(), memoryBytes }),
      events,
      random,
      mounter,
      writesFiles: hasMachine,
      ...(cgroupRoot === undefined ? {} : { cgroupRoot }),
      ...(masterService === undefined ? {} : { masterService }),
      ...(clusterDns === undefined ? {} : { clusterDns }),
    }),
    images: createImages({ runtime, objects, events, clock, ...(hasMachine ? { rootDir } : {}) }),
    probes: stack.use(createProbes({ runtime, dial, clock, random, events, metrics: probeMetrics })),
    hooks: createHooks({ runtime, dial, clock, events }),
  };
}
