/** One question to one webhook, and what its answer means for the request. */
import {
  badRequest,
  type Clock,
  goQuote,
  internalError,
  messageOf,
  type RandomSource,
  type Status,
  StatusError,
} from "@coxswain/machinery";
import type { AdmissionRequest } from "../../contracts/admission.ts";
import type { Log } from "../../contracts/log.ts";
import type { RejectionType, WebhookEvent, WebhookType } from "../../metrics/admission-webhooks.ts";
import { WebhookError } from "../../webhooks/webhook-error.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import { operationNames } from "../matching/rules.ts";
import { encodeReview, InvalidReview, type ReviewedObjects, type ReviewResponse, readReview, reviewVersionOf } from "./admission-review.ts";
import type { AdmissionWebhook } from "./webhook-configurations.ts";

export interface AskServices {
  readonly webhooks: Pick<Webhooks, "call">;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  readonly metrics: { countWebhook(event: WebhookEvent): void };
}

export interface Question {
  readonly type: WebhookType;
  readonly webhook: AdmissionWebhook;
  readonly request: AdmissionRequest;
  readonly objects: ReviewedObjects;
}

/** A webhook that could not be asked, or whose answer is none: its failure policy decides. */
export class CallFailure extends Error {
  readonly code: number;
  constructor(reason: string, code: number) {
    super(reason);
    this.name = "CallFailure";
    this.code = code;
  }
}

/** An object of the largest size, in base64, and what is around it. */
const maxAnswerBytes = 16 * 1024 * 1024;
const defaultTimeoutSeconds = 10;
const unavailable = 503;

/**
 * What becomes of the request: `use` does with an answer that allows it what is to be done, and may fail like the call itself.
 * Undefined where the webhook has failed and its policy ignores that. @throws StatusError of the refusal, or of the failure
 */
export async function askWebhook<T>(
  services: AskServices,
  question: Question,
  use: (response: ReviewResponse) => Promise<T>,
): Promise<T | undefined> {
  const { clock, log, metrics } = services;
  const { type, webhook, request } = question;
  const { name, failurePolicy } = webhook.given;
  const labels = { name, type, operation: operationNames[request.operation] };
  const began = clock.monotonic();
  const record = (code: number, rejection?: RejectionType): void =>
    metrics.countWebhook({ type: "call", labels, outcome: { seconds: (clock.monotonic() - began) / 1000, code, rejection } });
  try {
    const response = await answerOf(services, question);
    keepWords(question, response);
    if (!response.allowed) throw new Denial(denied(name, response.status));
    const used = await use(response);
    record(200);
    return used;
  } catch (error) {
    if (error instanceof Denial) {
      record(error.refusal.code, "no_error");
      throw error.refusal;
    }
    if (!(error instanceof CallFailure)) {
      record(0, "apiserver_internal_error");
      throw error;
    }
    const message = `failed calling webhook ${goQuote(name)}: ${error.message}`;
    if (failurePolicy !== "Ignore") {
      record(error.code, "calling_webhook_error");
      throw internalError(message);
    }
    record(error.code);
    metrics.countWebhook({ type: "fail open", labels: { name, type } });
    log.warn(
      { webhook: name, configuration: webhook.configuration, reason: error.message },
      "failed to call a webhook whose failures are ignored",
    );
    return undefined;
  }
}

/** Between the answer and whoever counts it. */
class Denial extends Error {
  readonly refusal: StatusError;
  constructor(refusal: StatusError) {
    super(refusal.message);
    this.name = "Denial";
    this.refusal = refusal;
  }
}

/** @throws CallFailure, badRequest() for a dry run that the webhook does not support */
async function answerOf({ webhooks, random }: AskServices, { type, webhook, request, objects }: Question): Promise<ReviewResponse> {
  const { name, sideEffects, clientConfig, admissionReviewVersions, timeoutSeconds = defaultTimeoutSeconds } = webhook.given;
  if (request.dryRun && sideEffects !== "None" && sideEffects !== "NoneOnDryRun")
    throw badRequest(`admission webhook ${goQuote(name)} does not support dry run`);
  const version = reviewVersionOf(admissionReviewVersions);
  if (version === undefined)
    throw new CallFailure("could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)", 400);
  const id = { version, uid: random.uuid() };
  try {
    const body = encodeReview(request, objects, id);
    const { credentials } = webhook;
    const timeoutMs = timeoutSeconds * 1000;
    const answer = await webhooks.call({ client: clientConfig, credentials, body, timeoutMs, maxBytes: maxAnswerBytes });
    return await readReview(answer, id, type === "admit");
  } catch (error) {
    if (error instanceof InvalidReview) throw new CallFailure(`received invalid webhook response: ${error.message}`, unavailable);
    if (!(error instanceof WebhookError)) throw error;
    if (error.uncallable) throw new CallFailure(`could not get REST client: ${error.message}`, 500);
    throw new CallFailure(`failed to call webhook: ${error.message}`, error.httpCode ?? unavailable);
  }
}

/** What it has to say besides, whatever it decides. */
function keepWords({ webhook, request }: Question, { warnings, auditAnnotations }: ReviewResponse): void {
  request.warnings.push(...warnings);
  for (const [key, value] of Object.entries(auditAnnotations)) {
    request.auditAnnotations ??= new Map();
    const name = `${webhook.given.name}/${key}`;
    if (!request.auditAnnotations.has(name)) request.auditAnnotations.set(name, value);
  }
}

/** The webhook's own Status, made one of a refusal. */
function denied(name: string, given: Partial<Status> = {}): StatusError {
  const by = `admission webhook ${goQuote(name)} denied the request`;
  const { message = "", reason = "", details, code = 0 } = given;
  const why = message !== "" ? `: ${message}` : reason !== "" ? `: ${reason}` : " without explanation";
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `${by}${why}`,
    ...(reason === "" ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code: statusCodeOf(code),
  });
}

/** Below 400 is no refusal; beyond 599 is no status of HTTP. */
const statusCodeOf = (code: number): number => (Number.isInteger(code) && code >= 400 && code < 600 ? code : 400);

/** What went wrong with an answer that was in order, as Kubernetes reports it. */
export const failedUse = (error: unknown): StatusError => internalError(messageOf(error));
