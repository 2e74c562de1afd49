/**
 * Sees to it that the images of containers and of volumes are on the node.
 * @see https://kubernetes.io/docs/concepts/containers/images/
 */
import { join } from "node:path";
import { type coreV1, type ImageName, parseImageName } from "@coxswain/api";
import type { EventRecorder, RecordedEvent } from "@coxswain/client";
import { type Clock, formatGoDuration, goQuote, messageOf } from "@coxswain/machinery";
import type { SecretAndConfigMapManager } from "../object-managers/watch-based-manager.ts";
import type { KubeletLog } from "../pod/log.ts";
import type { Container, Pod } from "../pod/pod.ts";
import { fieldPathOf } from "../pod/pod-state.ts";
import { SyncError } from "../pod/sync-error.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { SandboxConfig } from "../runtime/runtime-config.ts";
import type { ImageInfo } from "../runtime/runtime-status.ts";
import { type Credential, credentialsFor } from "./keyring.ts";
import { PullBackoff } from "./pull-backoff.ts";
import { type Pulled, PullQueue } from "./pull-queue.ts";
import { PullRecords } from "./pull-records.ts";

/** What an image manager pulls with. Without a `rootDir` a restart forgets which Pod may use which image. */
export interface ImageManagerOptions {
  readonly runtime: Pick<PodRuntime, "imageStatus" | "imagesAreNames" | "pullImage">;
  readonly objects: Pick<SecretAndConfigMapManager, "getSecret">;
  readonly events: Pick<EventRecorder, "record">;
  readonly clock: Clock;
  /** Is told of pulls that take long. */
  readonly log?: Pick<KubeletLog, "info">;
  /** Where it is kept who may use which image. Default: nowhere, a restart forgets it. */
  readonly rootDir?: string;
  /** How many images are pulled at a time. Default: 1, as the kubelet's. */
  readonly parallelPulls?: number;
  /** Default: 10 seconds to 5 minutes. */
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number };
}

/** A pull that takes longer is logged: whoever waits for a Pod looks for the reason. */
const slowPullMs = 2_000;

/** Sees to the images of a node's containers. */
export interface ImageManager {
  /**
   * Sees to it that the image is here, by its pull policy, with backoff between failures; records its events.
   * @throws SyncError `ErrImagePull`, `ImagePullBackOff`, `ErrImageNeverPull`, `InvalidImageName`, `RegistryUnavailable`
   */
  ensureImageExists(request: ImageRequest, signal: AbortSignal): Promise<PresentImage>;
}

/** Which image is wanted, and by whom. */
export interface ImageRequest {
  readonly pod: Pod;
  /** As the Pod calls it. */
  readonly image: string;
  readonly pullPolicy: string | undefined;
  readonly sandbox: SandboxConfig;
  /** Whose it is, for events; of a volume it is the whole Pod's. */
  readonly container?: Pick<Container, "name">;
}

/** An image that the runtime has, as a container is made from it. */
export interface PresentImage {
  readonly ref: string;
  readonly uid: number | undefined;
  readonly username: string;
}

/** An image manager together with its records of who has pulled what. */
export interface NodeImageManager extends ImageManager {
  readonly records: PullRecords;
}

interface Wanted extends ImageRequest {
  /** As the Pod says. */
  readonly asked: string;
  /** With a tag. */
  readonly image: string;
  readonly name: ImageName;
  readonly signal: AbortSignal;
}

const podKind = { group: "", version: "v1", kind: "Pod" };

/**
 * Makes an image manager: it pulls by policy, with back-off and with the Pod's credentials.
 * @see https://kubernetes.io/docs/concepts/containers/images/
 */
export const createImageManager = (options: ImageManagerOptions): NodeImageManager => new PullingImageManager(options);

class PullingImageManager implements NodeImageManager {
  readonly records: PullRecords;
  readonly #options: ImageManagerOptions;
  readonly #queue: PullQueue;
  readonly #backoff: PullBackoff;

  constructor(options: ImageManagerOptions) {
    const { clock, rootDir, parallelPulls = 1, backoff } = options;
    this.#options = options;
    this.#queue = new PullQueue(clock, parallelPulls);
    this.#backoff = new PullBackoff(clock, backoff);
    this.records = new PullRecords(rootDir === undefined ? undefined : join(rootDir, "image_manager", "pulled.json"));
  }

  async ensureImageExists(request: ImageRequest, signal: AbortSignal) {
    const asked = request.image;
    const name = this.#parse(request);
    const tagged = name.digest === undefined && name.tag !== undefined && !asked.endsWith(`:${name.tag}`);
    const wanted: Wanted = { ...request, asked, image: tagged ? `${asked}:${name.tag}` : asked, name, signal };
    if (this.#options.runtime.imagesAreNames === true) return this.#ignored(wanted);
    const found = await this.#present(wanted);
    if (found !== undefined) return found;
    return await this.#pull(wanted);
  }

  /** What an event of the kubelet says of images would be untrue, whatever the pull policy. */
  #ignored(wanted: Wanted): PresentImage {
    const { asked, image } = wanted;
    const message = `Container image ${goQuote(asked)} is only a name here: nothing is pulled, the command runs on the machine itself`;
    this.#record(wanted, { type: "Normal", reason: "ImageIgnored", message });
    return { ref: image, uid: undefined, username: "" };
  }

  #parse(request: ImageRequest): ImageName {
    const { image } = request;
    const name = parseImageName(image);
    if (name !== undefined) return name;
    const message = `Failed to apply default image tag ${goQuote(image)}: couldn't parse image name ${goQuote(image)}: ${problemOf(image)}`;
    this.#record(request, { type: "Warning", reason: "InspectFailed", message });
    throw new SyncError("InvalidImageName", message);
  }

  /** Undefined: it is to be pulled. */
  async #present(wanted: Wanted) {
    const { pullPolicy, asked, image, name } = wanted;
    if (pullPolicy === "Always") return undefined;
    const info = await this.#inspect(wanted);
    if (info !== undefined) {
      const pulled = { image, repository: name.repository };
      const credentials = this.records.mayUse(info.id, pulled, () => []) ? [] : await this.#credentials(wanted);
      if (this.records.mayUse(info.id, pulled, () => credentials)) {
        const message = `Container image ${goQuote(asked)} already present on machine and can be accessed by the pod`;
        this.#record(wanted, { type: "Normal", reason: "Pulled", message });
        return { ref: info.id, uid: info.uid, username: info.username };
      }
    }
    if (pullPolicy !== "Never") return undefined;
    const message = `Container image ${goQuote(asked)} is not present with pull policy of Never`;
    this.#record(wanted, { type: "Warning", reason: "ErrImageNeverPull", message });
    throw new SyncError("ErrImageNeverPull", message);
  }

  async #inspect(wanted: Wanted): Promise<ImageInfo | undefined> {
    const { image, signal } = wanted;
    try {
      return await this.#options.runtime.imageStatus(image, signal);
    } catch (error) {
      signal.throwIfAborted();
      const message = `Failed to inspect image ${goQuote("")}: ${messageOf(error)}`;
      this.#record(wanted, { type: "Warning", reason: "InspectFailed", message });
      throw new SyncError("ImageInspectError", message, { cause: error });
    }
  }

  async #pull(wanted: Wanted) {
    const { pod, asked } = wanted;
    const credentials = await this.#credentials(wanted);
    const key = `${pod.metadata?.uid}_${asked}`;
    const earlier = this.#backoff.waiting(key);
    if (earlier !== undefined) {
      const message = `Back-off pulling image ${goQuote(asked)}`;
      this.#record(wanted, { type: "Normal", reason: "BackOff", message });
      throw new SyncError("ImagePullBackOff", `${message}: ${earlier}`);
    }
    this.#record(wanted, { type: "Normal", reason: "Pulling", message: `Pulling image ${goQuote(asked)}` });
    this.records.intent(wanted.image);
    try {
      return await this.#pullNow(wanted, key, credentials);
    } finally {
      this.records.ended(wanted.image);
    }
  }

  async #pullNow(wanted: Wanted, key: string, credentials: readonly Credential[]) {
    const { image, name, signal } = wanted;
    const begunAt = this.#options.clock.monotonic();
    let pulled: Pulled & { readonly credential: Credential | undefined };
    const { log, clock } = this.#options;
    using _ = log === undefined ? undefined : clock.schedule(slowPullMs, () => log.info({ image }, "pulling an image"));
    try {
      pulled = await this.#pullWithAny(wanted, credentials);
    } catch (error) {
      signal.throwIfAborted();
      throw this.#failed(wanted, key, error);
    }
    const waitedMs = this.#options.clock.monotonic() - begunAt;
    const info = await this.#options.runtime.imageStatus(image, signal).catch(() => undefined);
    if (waitedMs >= slowPullMs) log?.info({ image, bytes: info?.sizeBytes, seconds: Math.round(waitedMs / 1000) }, "pulled an image");
    this.#recordPulled(wanted, pulled, waitedMs, info?.sizeBytes ?? 0);
    this.#backoff.collectGarbage();
    this.records.pulled(info?.id ?? pulled.ref, { image, repository: name.repository }, pulled.credential);
    return { ref: pulled.ref, uid: info?.uid, username: info?.username ?? "" };
  }

  async #pullWithAny({ image, sandbox, signal }: Wanted, credentials: readonly Credential[]) {
    const { runtime } = this.#options;
    const errors: unknown[] = [];
    for (const credential of credentials.length === 0 ? [undefined] : credentials) {
      const key = JSON.stringify([image, sandbox.runtimeHandler, credential?.auth]);
      try {
        const run = (own: AbortSignal): Promise<string> => runtime.pullImage(image, credential?.auth, sandbox, own);
        return { ...(await this.#queue.pull(key, run, signal)), credential };
      } catch (error) {
        signal.throwIfAborted();
        errors.push(error);
      }
    }
    const texts = [...new Set(errors.map(messageOf))];
    throw new Error(texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`, { cause: errors[0] });
  }

  #failed(wanted: Wanted, key: string, error: unknown): SyncError {
    const { asked } = wanted;
    const text = messageOf(error);
    this.#record(wanted, { type: "Warning", reason: "Failed", message: `Failed to pull image ${goQuote(asked)}: ${text}` });
    const { reason, message } = reasonOf(asked, text);
    this.#backoff.failed(key, `${reason}: ${message}`);
    return new SyncError(reason, message, { cause: error });
  }

  #recordPulled(wanted: Wanted, { tookMs }: Pulled, waitedMs: number, bytes: number): void {
    const times = `${formatGoDuration(Math.trunc(tookMs))} (${formatGoDuration(Math.trunc(waitedMs))} including waiting)`;
    const message = `Successfully pulled image ${goQuote(wanted.asked)} in ${times}. Image size: ${bytes} bytes.`;
    this.#record(wanted, { type: "Normal", reason: "Pulled", message });
  }

  async #credentials({ pod, name, signal }: Wanted): Promise<readonly Credential[]> {
    const { objects, events } = this.#options;
    const secrets: coreV1.Secret[] = [];
    const missing: string[] = [];
    for (const { name: secret = "" } of pod.spec?.imagePullSecrets ?? []) {
      if (secret === "") continue;
      const found = await objects.getSecret(pod.metadata?.namespace ?? "", secret, signal).catch(() => undefined);
      signal.throwIfAborted();
      if (found === undefined) missing.push(secret);
      else secrets.push(found);
    }
    if (missing.length > 0) {
      const message = `Unable to retrieve some image pull secrets (${missing.join(", ")}); attempting to pull the image may not succeed.`;
      events.record(pod, { type: "Warning", reason: "FailedToRetrieveImagePullSecret", message }, podKind);
    }
    try {
      return credentialsFor(name.repository, secrets);
    } catch (error) {
      throw new SyncError("ErrImagePull", messageOf(error), { cause: error });
    }
  }

  #record({ pod, container }: ImageRequest, event: Omit<RecordedEvent, "fieldPath">): void {
    const of = container === undefined ? {} : { fieldPath: fieldPathOf(pod, container) };
    this.#options.events.record(pod, { ...event, ...of }, podKind);
  }
}

/** Runtimes begin their message with the name of what has a reason of its own. */
const known = [
  { reason: "RegistryUnavailable", what: "the registry is unavailable" },
  { reason: "SignatureValidationFailed", what: "the signature validation failed" },
];

function reasonOf(image: string, text: string): { readonly reason: string; readonly message: string } {
  const found = known.find(({ reason }) => text.startsWith(reason));
  if (found === undefined) return { reason: "ErrImagePull", message: text };
  return { reason: found.reason, message: `image pull failed for ${image} because ${found.what}${text.slice(found.reason.length)}` };
}

/** In the words of the parser that runtimes use. */
function problemOf(image: string): string {
  if (/^[a-f0-9]{64}$/.test(image)) return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`;
  const lower = parseImageName(image.toLowerCase());
  if (lower === undefined || image === image.toLowerCase()) return "invalid reference format";
  const [tagged = ""] = image.split("@", 1);
  const colon = tagged.indexOf(":", tagged.lastIndexOf("/") + 1);
  const name = colon < 0 ? tagged : tagged.slice(0, colon);
  const [first = "", ...rest] = name.split("/");
  const path = rest.length > 0 && (first === "localhost" || /[.:A-Z]/.test(first)) ? rest.join("/") : name;
  return `invalid reference format: repository name (${path.includes("/") || path !== name ? path : `library/${path}`}) must be lowercase`;
}
