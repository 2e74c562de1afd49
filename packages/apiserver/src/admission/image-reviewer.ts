/**
 * Reviews of images by a webhook, whose answers count for a while.
 * @see https://kubernetes.io/docs/reference/config-api/imagepolicy.v1alpha1/
 */
import { type Clock, goJsonTypeOf, isObject, type RandomSource, sleep } from "@coxswain/machinery";
import type { ImagePolicyConfiguration } from "../contracts/admission-configuration.ts";
import { parseReview } from "../webhooks/review.ts";
import { WebhookError } from "../webhooks/webhook-error.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";

export interface ImageReviewSpec {
  readonly containers: readonly { readonly image: string }[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly namespace: string;
}

export interface ImageReviewStatus {
  readonly allowed: boolean;
  /** Empty for none. */
  readonly reason: string;
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

export interface ReviewerServices {
  readonly webhooks: Pick<Webhooks, "call">;
  readonly clock: Clock;
  readonly random: Pick<RandomSource, "next">;
}

const kind = { group: "imagepolicy.k8s.io", kind: "ImageReview", versions: ["v1alpha1"] };
/** Of one call; the webhook gets to know it. */
const timeoutMs = 30_000;
/** For all calls of one review: a request ends then. */
const maxReviewMs = 60_000;
const maxAnswerBytes = 1024 * 1024;
const maxTries = 5;
const pauseFactor = 1.5;
const jitter = 0.2;
const maxKnown = 1024;

export class ImageReviewer {
  readonly #settings: ImagePolicyConfiguration;
  readonly #services: ReviewerServices;
  /** By what was asked, the one used last at the end. */
  readonly #known = new Map<string, { readonly status: ImageReviewStatus; readonly until: number }>();

  constructor(settings: ImagePolicyConfiguration, services: ReviewerServices) {
    this.#settings = settings;
    this.#services = services;
  }

  /** @throws WebhookError when there is no answer */
  async review(spec: ImageReviewSpec): Promise<ImageReviewStatus> {
    const key = JSON.stringify(spec);
    const known = this.#knownAnswer(key);
    if (known !== undefined) return known;
    const body = encode(spec);
    const status = await statusOf(await this.#ask(body));
    const { allowedMs, deniedMs } = this.#settings;
    this.#keep(key, status, status.allowed ? allowedMs : deniedMs);
    return status;
  }

  #knownAnswer(key: string): ImageReviewStatus | undefined {
    const known = this.#known.get(key);
    if (known === undefined) return undefined;
    this.#known.delete(key);
    if (known.until <= this.#services.clock.monotonic()) return undefined;
    this.#known.set(key, known);
    return known.status;
  }

  #keep(key: string, status: ImageReviewStatus, forMs: number): void {
    if (forMs === 0) return;
    this.#known.set(key, { status, until: this.#services.clock.monotonic() + forMs });
    const [oldest] = this.#known.size > maxKnown ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  async #ask(body: Buffer): Promise<Buffer> {
    const { webhooks, clock, random } = this.#services;
    const { webhook, retryBackoffMs } = this.#settings;
    const { url, caBundle, credentials } = webhook;
    const late = new AbortController();
    using timer = clock.schedule(maxReviewMs, () => late.abort());
    timer.unref();
    let pauseMs = retryBackoffMs;
    for (let tries = 1; ; tries++) {
      try {
        const call = { client: { url, caBundle }, credentials, identity: webhook, body, timeoutMs, maxBytes: maxAnswerBytes };
        return await webhooks.call({ ...call, signal: late.signal });
      } catch (error) {
        const mayHelp = error instanceof WebhookError && error.isTransient && tries < maxTries && !late.signal.aborted;
        if (!mayHelp) throw error;
        if (!(await slept(clock, pauseMs * (1 + jitter * random.next()), late.signal))) throw error;
        pauseMs *= pauseFactor;
      }
    }
  }
}

/** False when the signal came first. */
async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (ms === 0) return true;
  return sleep(clock, ms, signal).then(
    () => true,
    () => false,
  );
}

function encode({ containers, annotations, namespace }: ImageReviewSpec): Buffer {
  const spec = {
    ...(containers.length === 0 ? {} : { containers }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    namespace,
  };
  const review = { kind: kind.kind, apiVersion: `${kind.group}/v1alpha1`, metadata: {}, spec, status: { allowed: false } };
  return Buffer.from(JSON.stringify(review));
}

/** @throws WebhookError in the words of Kubernetes' decoder */
async function statusOf(answer: Buffer): Promise<ImageReviewStatus> {
  const { status } = await parseReview(answer, kind, "v1alpha1");
  const given = typed(status, isObject, "ImageReview.status of type v1alpha1.ImageReviewStatus") ?? {};
  const at = (name: string, type: string): string => `ImageReviewStatus.status.${name} of type ${type}`;
  const allowed = typed(given.allowed, (value) => typeof value === "boolean", at("allowed", "bool")) ?? false;
  const reason = typed(given.reason, isText, at("reason", "string")) ?? "";
  const auditAnnotations = typed(given.auditAnnotations, isObject, at("auditAnnotations", "map[string]string")) ?? {};
  for (const value of Object.values(auditAnnotations)) typed(value, isText, at("auditAnnotations", "string"));
  return { allowed, reason, auditAnnotations: auditAnnotations as Readonly<Record<string, string>> };
}

const isText = (value: unknown): value is string => typeof value === "string";

function typed<T>(value: unknown, is: (value: unknown) => value is T, go: string): T | undefined {
  if (value === undefined || value === null) return undefined;
  if (is(value)) return value;
  throw new WebhookError(`json: cannot unmarshal ${goJsonTypeOf(value)} into Go struct field ${go}`);
}
