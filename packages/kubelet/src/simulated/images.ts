/** The images of one simulated node. */
import { sleep } from "@coxswain/machinery";
import type { SandboxConfig } from "../runtime/runtime-config.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import type { ImageInfo } from "../runtime/runtime-status.ts";
import { pullInAnnotations } from "./annotations.ts";
import { canonicalName, type Simulation } from "./simulation.ts";

export class NodeImages {
  readonly #simulation: Simulation;
  readonly #present = new Map<string, ImageInfo>();
  /** How often pulling failed, by Pod and image; as long as it goes on. */
  readonly #failures = new Map<string, number>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  list(): readonly ImageInfo[] {
    return [...this.#present.values()];
  }

  /** By name, id or digest. */
  find(name: string): ImageInfo | undefined {
    const direct = this.#present.get(name.startsWith("sha256:") ? name : canonicalName(name));
    return direct ?? this.list().find(({ id, digests }) => id === name || digests.includes(name));
  }

  remove(name: string): void {
    const found = this.find(name);
    for (const [key, info] of this.#present) if (info === found) this.#present.delete(key);
  }

  async pull(name: string, { pod, annotations }: SandboxConfig, signal: AbortSignal): Promise<string> {
    const key = `${pod.uid} ${name}`;
    const failures = this.#failures.get(key) ?? 0;
    const { pullMs = 0, failPull, sizeBytes } = { ...this.#simulation.image(name), ...pullInAnnotations(annotations, failures) };
    if (pullMs > 0) await sleep(this.#simulation.clock, pullMs, signal);
    if (failPull !== undefined) {
      this.#failures.set(key, failures + 1);
      throw new RuntimeError("unknown", `failed to pull and unpack image ${JSON.stringify(canonicalName(name))}: ${failPull}`);
    }
    this.#failures.delete(key);
    const info = this.#simulation.imageInfo(name, sizeBytes);
    this.#present.set(canonicalName(name), info);
    return info.id;
  }

  /** Of a Pod that is gone. */
  forget(podUid: string): void {
    for (const key of this.#failures.keys()) if (key.startsWith(`${podUid} `)) this.#failures.delete(key);
  }
}
