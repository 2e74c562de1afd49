/**
 * Asks a webhook about the images of Pods.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#imagepolicywebhook
 */
import type { coreV1 } from "@coxswain/api";
import { type Clock, messageOf, type RandomSource, StatusError } from "@coxswain/machinery";
import type { AdmissionOperation, AdmissionPluginFactory, AdmissionRequest, AdmissionResource } from "../contracts/admission.ts";
import type { AdmissionPluginConfigurations } from "../contracts/admission-configuration.ts";
import type { Log } from "../contracts/log.ts";
import { WebhookError } from "../webhooks/webhook-error.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { ImageReviewer, type ImageReviewSpec, type ImageReviewStatus } from "./image-reviewer.ts";
import { refused } from "./refused.ts";

export interface ImagePolicyServices {
  readonly webhooks: Pick<Webhooks, "call">;
  readonly clock: Clock;
  readonly random: Pick<RandomSource, "next">;
  readonly log: Log;
  readonly configuration?: AdmissionPluginConfigurations;
}

export const imagePolicyWebhook: AdmissionPluginFactory<ImagePolicyServices> = {
  name: "ImagePolicyWebhook",
  offByDefault: true,
  create: ({ configuration, log, ...services }) => {
    const settings = configuration?.imagePolicy;
    if (settings === undefined) throw new TypeError("no config specified");
    const reviewer = new ImageReviewer(settings, services);
    return {
      handles: ({ operation, resource, subresource }) => hasImages(operation, resource, subresource),
      mayWait: hasImages,
      async validate(request) {
        let status: ImageReviewStatus;
        try {
          status = await reviewer.review(specOf(request));
        } catch (error) {
          if (!(error instanceof WebhookError)) throw error;
          if (!settings.defaultAllow) throw failed(request, error);
          log.warn({ reason: messageOf(error) }, "failed to call the image policy webhook, whose failures are ignored");
          annotate(request, "failed-open", "true");
          return;
        }
        for (const [key, value] of Object.entries(status.auditAnnotations)) annotate(request, key, value);
        if (!status.allowed) throw refused(request, denial(status));
      },
    };
  },
};

const hasImages = (operation: AdmissionOperation, { definition }: AdmissionResource, subresource: string): boolean =>
  (operation === "create" || operation === "update") &&
  (subresource === "" || subresource === "ephemeralcontainers") &&
  definition.resource === "pods" &&
  definition.group === "";

function specOf({ object, subresource, namespace }: AdmissionRequest): ImageReviewSpec {
  const { spec, metadata } = object as coreV1.Pod;
  const { containers = [], initContainers, ephemeralContainers } = spec ?? {};
  const reviewed = subresource === "" ? [...containers, ...(initContainers ?? [])] : (ephemeralContainers ?? []);
  const known = Object.entries(metadata?.annotations ?? {}).filter(([key]) => key.includes(".image-policy.k8s.io/"));
  return {
    containers: reviewed.map(({ image = "" }) => ({ image })),
    annotations: Object.fromEntries(known.sort(([a], [b]) => (a < b ? -1 : 1))),
    namespace,
  };
}

function denial({ reason }: ImageReviewStatus): string {
  if (reason === "") return "one or more images rejected by webhook backend";
  return `image policy webhook backend denied one or more images: ${reason}`;
}

/** A webhook that refuses to answer at all is passed on as it is. */
function failed(request: AdmissionRequest, { message, httpCode, isStatus }: WebhookError): StatusError {
  if (httpCode !== 403) return refused(request, message);
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "Forbidden",
    ...(isStatus ? {} : { details: { causes: [{ reason: "UnexpectedServerResponse", message }] } }),
    code: 403,
  });
}

function annotate(request: AdmissionRequest, key: string, value: string): void {
  request.auditAnnotations ??= new Map();
  const name = `imagepolicywebhook.image-policy.k8s.io/${key}`;
  if (!request.auditAnnotations.has(name)) request.auditAnnotations.set(name, value);
}
