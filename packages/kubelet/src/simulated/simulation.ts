/** What many simulated runtimes share: time, chance, images and what becomes of containers. */
import { createHash } from "node:crypto";
import type { Clock, RandomSource } from "@coxswain/machinery";
import { RuntimeError } from "../runtime/runtime-error.ts";
import type { ImageInfo } from "../runtime/runtime-status.ts";
import { scriptInAnnotations } from "./annotations.ts";
import { type ContainerScript, imageNamed, type SimulatedContainer, type SimulatedImage, type SimulatedImages } from "./script.ts";

/** Which images a simulation knows. Others run until they are ended. */
export interface SimulationOptions {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** What annotations of a Pod say counts before it. */
  readonly images?: SimulatedImages;
}

/** What the simulated runtimes of one process share: scripts, images, clock and ids. */
export class Simulation {
  readonly clock: Clock;
  readonly #random: RandomSource;
  readonly #images: SimulatedImages;
  readonly #infos = new Map<string, ImageInfo>();

  constructor({ clock, random, images = {} }: SimulationOptions) {
    this.clock = clock;
    this.#random = random;
    this.#images = images;
  }

  newId(): string {
    return (this.#random.uuid() + this.#random.uuid()).replaceAll("-", "");
  }

  image(name: string): SimulatedImage {
    return imageNamed(this.#images, name);
  }

  /** The same for every node that has it. @throws RuntimeError for a name that cannot be one */
  imageInfo(name: string, sizeBytes: number | undefined): ImageInfo {
    const tagged = canonicalName(name);
    const known = this.#infos.get(tagged);
    if (known !== undefined) return known;
    const { sizeBytes: size = sizeBytes ?? 10 * 1024 * 1024, uid = 0 } = this.image(name);
    const digest = `sha256:${createHash("sha256").update(tagged).digest("hex")}`;
    const [named = ""] = tagged.split("@", 1);
    const colon = named.indexOf(":", named.lastIndexOf("/"));
    const repository = colon < 0 ? named : named.slice(0, colon);
    const digests = [`${repository}@${digest}`];
    const info = { id: digest, tags: tagged.includes("@") ? [] : [tagged], digests, sizeBytes: size, pinned: false, uid, username: "" };
    this.#infos.set(tagged, info);
    return info;
  }

  script(container: SimulatedContainer): ContainerScript {
    const annotated = scriptInAnnotations(container.annotations, container.name, container.attempt);
    const own = this.image(container.image).run?.(container);
    return annotated === undefined ? (own ?? nothingSpecial) : { ...own, ...annotated };
  }
}

const nothingSpecial: ContainerScript = {};

/** As container engines complete it: `docker.io/library/nginx:latest`. */
export function canonicalName(name: string): string {
  if (!/^[a-z0-9][\w.:/@-]*$/i.test(name)) throw new RuntimeError("unknown", `invalid reference format: ${name}`);
  const [first = "", ...rest] = name.split("/");
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const full = hasHost ? name : `docker.io/${rest.length === 0 ? "library/" : ""}${name}`;
  return /[:@]./.test(full.slice(full.lastIndexOf("/"))) ? full : `${full}:latest`;
}
