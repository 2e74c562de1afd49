/** Conversion of custom resources by the webhook that their definition names. */
import type { ObjectConverter } from "@coxswain/api";
import { type Clock, type KubeObject, parseApiVersion, type RandomSource, unexplained } from "@coxswain/machinery";
import type { ConversionFailure, ConversionSeries } from "../../metrics/conversions.ts";
import type { WebhookClientConfig } from "../../webhooks/client-config.ts";
import { WebhookError } from "../../webhooks/webhook-error.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import { type ConversionRequest, encodeReview, readConverted, reviewVersionOf } from "./conversion-review.ts";
import { acceptConverted, ConversionProblem } from "./converted-object.ts";

/** What a CustomResourceDefinition says about its webhook. */
export interface ConversionWebhook {
  /** Of the definition. */
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly conversionReviewVersions: readonly string[];
}

export interface ConverterServices {
  readonly webhooks: Pick<Webhooks, "call">;
  readonly random: RandomSource;
  readonly clock: Clock;
  readonly metrics: { readonly conversions: ConversionSeries };
}

/** The part of a CustomResourceDefinition that is about conversion. */
export interface ConvertedDefinition {
  readonly metadata?: { readonly name?: string };
  readonly spec: {
    readonly conversion?: {
      readonly strategy: string;
      readonly webhook?: { readonly clientConfig?: WebhookClientConfig; readonly conversionReviewVersions: readonly string[] };
    };
  };
}

/** Undefined for definitions whose versions differ by name only. */
export function converterOf({ metadata, spec }: ConvertedDefinition, services: ConverterServices): ObjectConverter | undefined {
  const { strategy, webhook } = spec.conversion ?? {};
  if (strategy !== "Webhook" || webhook === undefined) return undefined;
  const { clientConfig = {}, conversionReviewVersions } = webhook;
  return webhookConverter({ name: metadata?.name ?? "", clientConfig, conversionReviewVersions }, services);
}

const timeoutMs = 30_000;
/** No object is larger when it is written. */
const maxObjectBytes = 3 * 1024 * 1024;
/** What a text of this runtime surely holds. */
const maxAnswerBytes = 256 * 1024 * 1024;

/**
 * Asks once for all objects that are in another version; the others come back as they are.
 * `convert` throws Kubernetes' bare 500 when the webhook fails.
 */
export function webhookConverter(webhook: ConversionWebhook, services: ConverterServices): ObjectConverter {
  return {
    async convert(objects, apiVersion) {
      const foreign = objects.filter((object) => object.apiVersion !== apiVersion);
      if (foreign.length === 0) return objects;
      const converted = (await observed(webhook, services, foreign, apiVersion)).values();
      return objects.map((object) => (object.apiVersion === apiVersion ? object : (converted.next().value ?? object)));
    },
  };
}

/** Where the work stands, which is what a failure is counted as. */
interface Progress {
  failure: ConversionFailure;
}

async function observed(
  webhook: ConversionWebhook,
  services: ConverterServices,
  objects: readonly Readonly<KubeObject>[],
  apiVersion: string,
): Promise<readonly KubeObject[]> {
  const { clock, metrics } = services;
  const from = objects[0]?.apiVersion ?? "";
  const began = clock.monotonic();
  const progress: Progress = { failure: "conversion_webhook_call_failure" };
  const record = (failure: ConversionFailure | ""): void =>
    metrics.conversions.record(
      { crd: webhook.name, from: versionOf(from), to: versionOf(apiVersion), failure },
      (clock.monotonic() - began) / 1000,
    );
  try {
    const converted = await callWebhook(webhook, services, { objects, apiVersion, progress });
    record("");
    return converted;
  } catch (error) {
    record(progress.failure);
    throw unexplained(problemOf(error, `conversion webhook for ${from}, Kind=${objects[0]?.kind}`));
  }
}

const versionOf = (apiVersion: string): string => parseApiVersion(apiVersion)?.version ?? "";

function problemOf(error: unknown, head: string): string {
  if (error instanceof ConversionProblem) return error.bare ? error.message : `${head} ${error.message}`;
  if (error instanceof WebhookError) return `${head} failed: ${error.message}`;
  throw error;
}

interface Conversion {
  readonly objects: readonly Readonly<KubeObject>[];
  readonly apiVersion: string;
  /** Kept up to date while it goes on. */
  readonly progress: Progress;
}

async function callWebhook(
  { clientConfig, conversionReviewVersions }: ConversionWebhook,
  { webhooks, random }: ConverterServices,
  { objects, apiVersion, progress }: Conversion,
): Promise<readonly KubeObject[]> {
  const version = reviewVersionOf(conversionReviewVersions);
  if (version === undefined) throw new ConversionProblem("no supported conversion review versions", true);
  const request: ConversionRequest = { version, uid: random.uuid(), apiVersion, objects };
  const maxBytes = Math.min(maxAnswerBytes, maxObjectBytes * (objects.length + 1));
  const answer = await webhooks.call({ client: clientConfig, body: encodeReview(request), timeoutMs, maxBytes });
  progress.failure = "conversion_webhook_malformed_response_failure";
  const given = await readConverted(answer, request);
  progress.failure = "conversion_webhook_partial_response_failure";
  if (given.length !== objects.length) throw new ConversionProblem(`returned ${given.length} objects, expected ${objects.length}`);
  progress.failure = "conversion_webhook_invalid_converted_object_failure";
  return objects.map((original, index) => acceptConverted(original, given[index], apiVersion, index));
}
