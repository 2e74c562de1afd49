/** Configurations for tests, of Pods that do not run. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { coreV1 } from "@coxswain/api";
import type { Informer } from "@coxswain/client";
import { systemRandom } from "@coxswain/machinery";
import type { Container, Pod } from "../../pod/pod.ts";
import { objectsUnderTest } from "../../volume-manager/objects-under-test.ts";
import { type ConfigGeneratorOptions, createConfigGenerator } from "./config-generator.ts";
import type { ContainerRequest } from "./container-request.ts";

const quiet = new AbortController().signal;
const memoryBytes = 4 * 1024 ** 3;

const service = (namespace: string, name: string, clusterIP: string, ports: readonly coreV1.ServicePort[]): coreV1.Service => ({
  metadata: { namespace, name },
  spec: { clusterIP, ports: [...ports] },
});

const services = [
  service("default", "kubernetes", "10.96.0.1", [{ name: "https", port: 443, protocol: "TCP" }]),
  service("web", "redis-primary", "10.96.0.11", [{ port: 6379 }, { name: "metrics", port: 9121, protocol: "TCP" }]),
  service("web", "headless", "None", [{ port: 80 }]),
  service("other", "unseen", "10.96.0.12", [{ port: 80 }]),
];

/** Of these Services, in the beginning perhaps before any was read. */
export function informerOf(all: readonly coreV1.Service[], hasSynced = true): Pick<Informer<coreV1.Service>, "hasSynced" | "lister"> {
  const lister: Informer<coreV1.Service>["lister"] = {
    size: all.length,
    get: ({ namespace, name }) => all.find(({ metadata }) => metadata?.namespace === namespace && metadata?.name === name),
    list: ({ namespace } = {}) => all.filter(({ metadata }) => namespace === undefined || metadata?.namespace === namespace),
    byIndex: () => [],
  };
  return { hasSynced, lister };
}

export const podOf = (container: Partial<Container> = {}, spec: Partial<coreV1.PodSpec> = {}): Pod => ({
  metadata: { name: "app-1", namespace: "web", uid: "u1", labels: { app: "app" }, annotations: { note: "n" } },
  spec: { containers: [{ name: "c", image: "busybox", ...container }], nodeName: "node-1", serviceAccountName: "runner", ...spec },
});

/** In a directory that is gone afterwards. */
export async function withConfigs(
  settings: Partial<ConfigGeneratorOptions>,
  use: (given: ReturnType<typeof configsIn>) => Promise<void> | void,
): Promise<void> {
  const rootDir = await mkdtemp(join(tmpdir(), "configs-"));
  try {
    await use(configsIn(rootDir, settings));
  } finally {
    await rm(rootDir, { recursive: true });
  }
}

export function configsIn(rootDir: string, settings: Partial<ConfigGeneratorOptions>) {
  const objects = objectsUnderTest();
  const events: string[] = [];
  const configs = createConfigGenerator({
    rootDir,
    logsDir: join(rootDir, "logs"),
    objects,
    services: informerOf(services),
    node: () => ({ hostIps: ["192.168.0.5", "fd00::5"], allocatable: { cpu: "4", memory: "4Gi" }, memoryBytes }),
    events: { record: (_, { reason, message }) => void events.push(`${reason}: ${message}`) },
    random: systemRandom,
    clusterDns: ["10.96.0.10"],
    resolvConf: "",
    mounter: undefined,
    ...settings,
  });
  const request = (pod: Pod, more: Partial<ContainerRequest> = {}): ContainerRequest => ({
    pod,
    container: pod.spec?.containers[0] as Container,
    attempt: 2,
    image: { ref: "sha256:abc", uid: undefined, username: "" },
    podIps: ["10.0.0.7", "fd00::7"],
    volumes: new Map(),
    imageVolumes: new Map(),
    others: [],
    ...more,
  });
  const container = (pod: Pod, more: Partial<ContainerRequest> = {}) => configs.generateContainerConfig(request(pod, more), quiet);
  const env = async (pod: Pod) => Object.fromEntries((await container(pod)).env.map(({ name, value }) => [name, value]));
  return { rootDir, objects, events, configs, container, env };
}
