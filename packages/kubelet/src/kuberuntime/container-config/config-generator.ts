/** Makes the configurations for the runtime from a Pod. */
import { mkdirSync, readFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { coreV1 } from "@coxswain/api";
import type { EventRecorder, Informer } from "@coxswain/client";
import { messageOf, parseIp, type RandomSource } from "@coxswain/machinery";
import type { SecretAndConfigMapManager } from "../../object-managers/watch-based-manager.ts";
import { expand } from "../../pod/expand.ts";
import type { Pod } from "../../pod/pod.ts";
import { podLogDirectory, safeName } from "../../pod/pod-directories.ts";
import { SyncError } from "../../pod/sync-error.ts";
import { containerNameLabel, podLabels } from "../../runtime/labels.ts";
import type { ContainerConfig, Mount, PodIdentity, SandboxConfig } from "../../runtime/runtime-config.ts";
import type { Mounter } from "../../volume-manager/mounter.ts";
import { containerAnnotations } from "./container-annotations.ts";
import { hostsMount, messageMount, volumeDevices, volumeMounts } from "./container-mounts.ts";
import type { ContainerRequest } from "./container-request.ts";
import { type DnsConfig, type DnsProblem, dnsOf, parseResolvConf } from "./dns.ts";
import { environmentOf } from "./environment.ts";
import { hostNameOf } from "./host-name.ts";
import { hostsFile } from "./hosts-file.ts";
import { linuxResources } from "./linux-resources.ts";
import { identityOf, sandboxConfig } from "./sandbox-config.ts";
import { containerSecurity, pidNamespace } from "./security.ts";
import { type MasterService, serviceVariables } from "./service-variables.ts";

/** What Pods may learn of their node, or take of it. */
export interface NodeFacts {
  /** The one that it prefers first. */
  readonly hostIps: readonly string[];
  readonly allocatable: Readonly<Record<string, string>>;
  readonly memoryBytes: number;
}

/** What configurations are made from besides the Pod. Paths are absolute. */
export interface ConfigGeneratorOptions {
  readonly rootDir: string;
  /** Absolute. Default: `/var/log/pods`. */
  readonly logsDir?: string;
  readonly objects: Pick<SecretAndConfigMapManager, "getConfigMap" | "getSecret">;
  /** Default: Pods get no variables of Services. */
  readonly services?: Pick<Informer<coreV1.Service>, "hasSynced" | "lister">;
  readonly node: () => NodeFacts;
  readonly events: Pick<EventRecorder, "record">;
  readonly random: RandomSource;
  /** Default: none, so that Pods use the node's resolvers. */
  readonly clusterDns?: readonly string[];
  /** Default: `cluster.local`. */
  readonly clusterDomain?: string;
  /** The node's own; empty: none. Default: `/etc/resolv.conf`. */
  readonly resolvConf?: string;
  /** Default: `coxswain`. */
  readonly cgroupRoot?: string;
  /** Where profiles of type Localhost are. Default: `seccomp` in `rootDir`. */
  readonly seccompRoot?: string;
  readonly masterService?: MasterService;
  /** Of a RuntimeClass; undefined: there is no such class. */
  readonly runtimeHandler?: (className: string) => string | undefined;
  /** Undefined where this process may not mount: then parts of volumes are not held fast. */
  readonly mounter: Mounter | undefined;
  /** Whether the runtime can make what is mounted below a mount read-only, too. Default: false. */
  readonly recursiveReadOnly?: boolean;
  /** Whether containers are real, and need directories and files. Default: true. */
  readonly writesFiles?: boolean;
}

/** Makes the configurations for the runtime from a Pod. */
export interface ConfigGenerator {
  /** @throws SyncError `ConfigPodSandboxError` */
  generatePodSandboxConfig(pod: Pod, attempt: number): SandboxConfig;
  /** @throws SyncError `CreateContainerConfigError` for what is missing: a key of a ConfigMap, a Secret, … */
  generateContainerConfig(request: ContainerRequest, signal: AbortSignal): Promise<ContainerConfig>;
  /** Of a Pod that is gone; absent where nothing writes logs. */
  removeLogs?(pod: PodIdentity): Promise<void>;
}

const podKind = { group: "", version: "v1", kind: "Pod" };
/** Problems of so many Pods are reported once each. */
const maxRecorded = 1_000;

/** Makes a generator of sandbox and container configurations. */
export const createConfigGenerator = (options: ConfigGeneratorOptions): ConfigGenerator => new RuntimeConfigGenerator(options);

class RuntimeConfigGenerator implements ConfigGenerator {
  readonly #options: ConfigGeneratorOptions;
  readonly #logsDir: string;
  readonly #clusterDomain: string;
  readonly #writesFiles: boolean;
  readonly #recorded = new Set<string>();

  constructor(options: ConfigGeneratorOptions) {
    this.#options = options;
    this.#logsDir = options.logsDir ?? "/var/log/pods";
    this.#clusterDomain = options.clusterDomain ?? "cluster.local";
    this.#writesFiles = options.writesFiles ?? true;
  }

  generatePodSandboxConfig(pod: Pod, attempt: number): SandboxConfig {
    const { cgroupRoot = "coxswain" } = this.#options;
    try {
      const dns = this.#dnsOf(pod);
      const runtimeHandler = this.#runtimeHandler(pod);
      const settings = { logsDir: this.#logsDir, cgroupRoot, clusterDomain: this.#clusterDomain, dns, runtimeHandler };
      const config = sandboxConfig(pod, attempt, settings);
      if (this.#writesFiles) mkdirSync(config.logDirectory, { recursive: true, mode: 0o755 });
      return config;
    } catch (error) {
      const { namespace, name, uid } = identityOf(pod);
      const message = `Failed to generate sandbox config for pod "${name}_${namespace}(${uid})": ${messageOf(error)}`;
      throw new SyncError("ConfigPodSandboxError", message, { cause: error });
    }
  }

  async removeLogs({ uid, namespace, name }: PodIdentity): Promise<void> {
    if (!this.#writesFiles) return;
    await rm(podLogDirectory(this.#logsDir, { metadata: { uid, namespace, name } }), { recursive: true, force: true });
  }

  async generateContainerConfig(request: ContainerRequest, signal: AbortSignal): Promise<ContainerConfig> {
    try {
      return await this.#container(request, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SyncError) throw error;
      throw new SyncError("CreateContainerConfigError", messageOf(error), { cause: error });
    }
  }

  async #container(request: ContainerRequest, signal: AbortSignal): Promise<ContainerConfig> {
    const { pod, container: generateContainerConfig, attempt, image } = request;
    const { memoryBytes } = this.#options.node();
    const target = targetOf(request);
    const devices = volumeDevices(request);
    const environment = await this.#environment(request, signal);
    const mounts = await this.#mounts(request, environment);
    const security = containerSecurity(
      pod,
      generateContainerConfig,
      image,
      this.#options.seccompRoot ?? join(this.#options.rootDir, "seccomp"),
    );
    const expanded = (texts: readonly string[] = []) => texts.map((text) => expand(text, (name) => environment.get(name)));
    const directory = safeName(generateContainerConfig.name);
    if (this.#writesFiles) await mkdir(join(podLogDirectory(this.#logsDir, pod), directory), { recursive: true, mode: 0o755 });
    return {
      name: generateContainerConfig.name,
      attempt,
      image: image.ref,
      userImage: generateContainerConfig.image ?? "",
      command: expanded(generateContainerConfig.command),
      args: expanded(generateContainerConfig.args),
      workingDir: generateContainerConfig.workingDir ?? "",
      env: Array.from(environment, ([name, value]) => ({ name, value })),
      mounts,
      devices,
      labels: { ...podLabels(identityOf(pod)), [containerNameLabel]: generateContainerConfig.name },
      annotations: containerAnnotations(pod, generateContainerConfig, attempt),
      logPath: join(directory, `${attempt}.log`),
      stdin: generateContainerConfig.stdin === true,
      stdinOnce: generateContainerConfig.stdinOnce === true,
      tty: generateContainerConfig.tty === true,
      resources: linuxResources(pod, generateContainerConfig, memoryBytes),
      security,
      pid: target === "" || pidNamespace(pod) !== "container" ? pidNamespace(pod) : "target",
      targetId: target,
      stopSignal: generateContainerConfig.lifecycle?.stopSignal ?? "",
    };
  }

  async #environment({ pod, container, podIps, volumes }: ContainerRequest, signal: AbortSignal): Promise<Map<string, string>> {
    const { objects, node } = this.#options;
    const { hostIps, allocatable } = node();
    const services = this.#services(pod);
    return await environmentOf(pod, container, {
      objects,
      services,
      hostIps,
      podIps: preferred(podIps, hostIps),
      allocatable,
      volumes,
      signal,
    });
  }

  #services(pod: Pod): ReadonlyMap<string, string> {
    const { services, masterService } = this.#options;
    if (services === undefined) return new Map();
    const { namespace = "", annotations } = pod.metadata ?? {};
    const isStatic = (annotations?.["kubernetes.io/config.source"] ?? "api") !== "api";
    if (!services.hasSynced && !isStatic) throw new Error("services have not yet been read at least once, cannot construct envvars");
    const links = pod.spec?.enableServiceLinks ?? true;
    const master = services.lister.get({ namespace: "default", name: "kubernetes" });
    const visible = [...(master === undefined ? [] : [master]), ...(links ? services.lister.list({ namespace }) : [])];
    return serviceVariables(visible, { namespace, links, master: masterService });
  }

  async #mounts(request: ContainerRequest, environment: ReadonlyMap<string, string>): Promise<readonly Mount[]> {
    const { rootDir, mounter, recursiveReadOnly = false, random } = this.#options;
    const extra = request.extraMounts ?? [];
    const ofVolumes = this.#writesFiles ? await volumeMounts(request, environment, { rootDir, mounter, recursiveReadOnly }) : [];
    if (!this.#writesFiles) return [...ofVolumes, ...extra];
    const hosts = hostsFile(request.pod, hostNameOf(request.pod, this.#clusterDomain), request.podIps);
    const ofHosts = await hostsMount(request, hosts, rootDir);
    const ofMessage = await messageMount(request, random.uuid().slice(0, 8), rootDir);
    return [...ofVolumes, ...extra, ofHosts, ofMessage].filter((mount) => mount !== undefined);
  }

  #dnsOf(pod: Pod): DnsConfig {
    const { clusterDns = [], resolvConf = "/etc/resolv.conf", events } = this.#options;
    const host = resolvConf === "" ? undefined : parseResolvConf(readFileSync(resolvConf, "utf8"));
    const { config, problems } = dnsOf(pod, {
      clusterDns,
      clusterDomain: this.#clusterDomain,
      host,
      hostIps: this.#options.node().hostIps,
    });
    for (const { reason, message } of problems) {
      if (this.#isNews(pod, reason)) events.record(pod, { type: "Warning", reason, message }, podKind);
    }
    return config;
  }

  #isNews({ metadata }: Pod, reason: DnsProblem["reason"]): boolean {
    const key = `${metadata?.uid}/${reason}`;
    if (this.#recorded.has(key)) return false;
    const [oldest] = this.#recorded;
    if (this.#recorded.size >= maxRecorded && oldest !== undefined) this.#recorded.delete(oldest);
    this.#recorded.add(key);
    return true;
  }

  #runtimeHandler({ spec }: Pod): string {
    const { runtimeClassName = "" } = spec ?? {};
    if (runtimeClassName === "") return "";
    const handler = this.#options.runtimeHandler?.(runtimeClassName);
    if (handler === undefined) throw new Error(`runtimeclass.node.k8s.io "${runtimeClassName}" not found`);
    return handler;
  }
}

/** Of an ephemeral container: whose processes it sees. @throws Error in Kubernetes' words */
function targetOf({ container, others }: ContainerRequest): string {
  const target =
    "targetContainerName" in container && typeof container.targetContainerName === "string" ? container.targetContainerName : "";
  if (target === "") return "";
  const found = others.find(({ name }) => name === target);
  if (found === undefined) throw new Error(`unable to find target container ${target}`);
  return found.id;
}

/** Addresses of the family that the node prefers come first. */
function preferred(ips: readonly string[], [hostIp = ""]: readonly string[]): readonly string[] {
  const family = parseIp(hostIp)?.family;
  const first = ips.filter((ip) => parseIp(ip)?.family === family);
  return [...first, ...ips.filter((ip) => !first.includes(ip))];
}
