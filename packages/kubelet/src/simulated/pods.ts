/** Sandboxes and containers of one simulated node. */
import type { ContainerConfig, SandboxConfig } from "../runtime/runtime-config.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import type { ContainerStatus, SandboxStatus } from "../runtime/runtime-status.ts";
import { Container } from "./container.ts";
import type { NodeImages } from "./images.ts";
import type { PodAddresses } from "./pod-addresses.ts";
import type { Simulation } from "./simulation.ts";

export interface PodsOptions {
  readonly simulation: Simulation;
  readonly images: NodeImages;
  readonly addresses: PodAddresses;
  readonly changed: (podUid: string) => void;
}

interface Sandbox {
  status: SandboxStatus;
  readonly hostname: string;
  readonly containers: Container[];
}

export interface PlacedContainer {
  readonly container: Container;
  readonly hostname: string;
  readonly env: ContainerConfig["env"];
  /** What whoever is attached to its input talks to; undefined when it has none. */
  readonly reads: readonly string[] | undefined;
}

export class SimulatedPods {
  readonly #options: PodsOptions;
  readonly #sandboxes = new Map<string, Sandbox>();
  readonly #byPod = new Map<string, Sandbox[]>();
  readonly #containers = new Map<string, PlacedContainer>();

  constructor(options: PodsOptions) {
    this.#options = options;
  }

  runSandbox({ pod, attempt, labels, annotations, hostname, network }: SandboxConfig): string {
    const { simulation, addresses, changed } = this.#options;
    const same = this.#byPod.get(pod.uid)?.find(({ status }) => status.attempt === attempt);
    if (same?.status.ready === true) return same.status.id;
    const ips = network === "node" ? [] : addresses.take();
    if (ips === undefined) {
      const why = "no IP addresses available in range set";
      throw new RuntimeError("unknown", `failed to setup network for sandbox: plugin type="simulated" failed (add): ${why}`);
    }
    const status = { id: simulation.newId(), pod, attempt, ready: true, createdAt: simulation.clock.now(), labels, annotations };
    const sandbox: Sandbox = { status: { ...status, ips }, hostname, containers: [] };
    this.#sandboxes.set(status.id, sandbox);
    const others = this.#byPod.get(pod.uid);
    if (others === undefined) this.#byPod.set(pod.uid, [sandbox]);
    else others.push(sandbox);
    changed(pod.uid);
    return status.id;
  }

  stopSandbox(id: string): void {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox?.status.ready !== true) return;
    for (const container of sandbox.containers) container.kill();
    for (const ip of sandbox.status.ips) this.#options.addresses.giveBack(ip);
    sandbox.status = { ...sandbox.status, ready: false, ips: [] };
    this.#options.changed(sandbox.status.pod.uid);
  }

  removeSandbox(id: string): void {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) return;
    this.stopSandbox(id);
    for (const container of [...sandbox.containers]) this.removeContainer(container.id);
    this.#sandboxes.delete(id);
    const { uid } = sandbox.status.pod;
    const left = (this.#byPod.get(uid) ?? []).filter((one) => one !== sandbox);
    if (left.length > 0) this.#byPod.set(uid, left);
    else {
      this.#byPod.delete(uid);
      this.#options.images.forget(uid);
    }
    this.#options.changed(uid);
  }

  sandboxes(podUid?: string): readonly SandboxStatus[] {
    return this.#of(podUid).map(({ status }) => status);
  }

  createContainer(sandboxId: string, config: ContainerConfig, sandboxConfig: SandboxConfig): string {
    const { simulation, images, changed } = this.#options;
    const sandbox = this.sandbox(sandboxId);
    if (!sandbox.status.ready) throw new RuntimeError("unknown", `sandbox container ${JSON.stringify(sandboxId)} is not running`);
    const image = images.find(config.image);
    if (image === undefined) throw new RuntimeError("notFound", `failed to resolve image ${JSON.stringify(config.image)}: not found`);
    const same = sandbox.containers.find(({ status }) => status.name === config.name && status.attempt === config.attempt);
    if (same !== undefined)
      throw new RuntimeError("alreadyExists", `container ${config.name} of attempt ${config.attempt} is there: ${same.id}`);
    const container = new Container({
      id: simulation.newId(),
      sandboxId,
      imageRef: image.digests[0] ?? image.id,
      config,
      sandbox: sandboxConfig,
      scriptOf: (one) => simulation.script(one),
      clock: simulation.clock,
      changed,
    });
    sandbox.containers.push(container);
    const words = [...config.command, ...config.args];
    const reads = config.stdin ? (words.length === 0 ? ["sh"] : words) : undefined;
    this.#containers.set(container.id, { container, hostname: sandbox.hostname, env: config.env, reads });
    return container.id;
  }

  removeContainer(id: string): void {
    const found = this.#containers.get(id);
    if (found === undefined) return;
    found.container.kill();
    this.#containers.delete(id);
    const siblings = this.#sandboxes.get(found.container.status.sandboxId)?.containers ?? [];
    siblings.splice(siblings.indexOf(found.container), 1);
    this.#options.changed(found.container.pod.uid);
  }

  containers(podUid?: string): readonly ContainerStatus[] {
    return this.#of(podUid).flatMap(({ containers }) => containers.map(({ status }) => status));
  }

  all(): readonly Container[] {
    return [...this.#containers.values()].map(({ container }) => container);
  }

  find(id: string): PlacedContainer | undefined {
    return this.#containers.get(id);
  }

  /** @throws RuntimeError `notFound` */
  container(id: string): PlacedContainer {
    const found = this.#containers.get(id);
    if (found === undefined)
      throw new RuntimeError("notFound", `an error occurred when try to find container ${JSON.stringify(id)}: not found`);
    return found;
  }

  /** @throws RuntimeError `notFound` */
  sandbox(id: string): Readonly<Sandbox> {
    const found = this.#sandboxes.get(id);
    if (found === undefined) throw new RuntimeError("notFound", `failed to find sandbox ${JSON.stringify(id)} in store: not found`);
    return found;
  }

  #of(podUid: string | undefined): readonly Sandbox[] {
    return podUid === undefined ? [...this.#sandboxes.values()] : (this.#byPod.get(podUid) ?? []);
  }
}
