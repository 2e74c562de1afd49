/** What Pod workers rely on, for a node with a machine of its own. */
import type { coreV1 } from "@coxswain/api";
import type { Informer, MetricsRegistry } from "@coxswain/client";
import type { AsyncDisposableStack } from "@coxswain/machinery";
import { createImageManager, type NodeImageManager } from "../image-manager/image-manager.ts";
import { createConfigGenerator } from "../kuberuntime/container-config/config-generator.ts";
import { createHandlerRunner } from "../lifecycle/handler-runner.ts";
import { createTokenManager } from "../object-managers/token-manager.ts";
import { createWatchBasedManager } from "../object-managers/watch-based-manager.ts";
import type { PodWorkerDependencies } from "../pod-workers/dependencies.ts";
import { networkDial } from "../probe/network-dial.ts";
import { createProbeManager } from "../prober/prober-manager.ts";
import { mounterOfThisProcess } from "../volume-manager/mounter.ts";
import { createVolumeManager } from "../volume-manager/volume-manager.ts";
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
): PodWorkerDependencies & { readonly images: NodeImageManager } {
  const { client, identity, runtime, rootDir, logsDir, events, random, log, hasMachine = true } = options;
  const { cgroupRoot, masterService, clusterDns, clusterDomain, resolvConf, isolate } = options;
  const { services, handlerOf, allocatable, changed, probeMetrics, stack } = context;
  const { clock } = client;
  const dial = options.dial ?? networkDial(clock);
  const objects = stack.use(createWatchBasedManager(client));
  const mounter = hasMachine ? mounterOfThisProcess() : undefined;
  const { addresses, memoryBytes } = identity.machine;
  return {
    runtime,
    volumes: stack.use(
      createVolumeManager({
        rootDir,
        client,
        objects,
        tokens: createTokenManager(client, log),
        events,
        allocatable,
        changed,
        mounter,
        writesFiles: hasMachine,
        imageVolumes: runtime.imageVolumes,
      }),
    ),
    configs: createConfigGenerator({
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
      ...(clusterDomain === undefined ? {} : { clusterDomain }),
      ...(resolvConf === undefined ? {} : { resolvConf }),
    }),
    images: createImageManager({ runtime, objects, events, clock, log, ...(hasMachine ? { rootDir } : {}) }),
    probes: stack.use(createProbeManager({ runtime, dial, clock, random, events, metrics: probeMetrics })),
    hooks: createHandlerRunner({ runtime, dial, clock, events }),
    ...(isolate === undefined ? {} : { isolate }),
  };
}
