import { field, validateDns1035Label } from "@coxswain/machinery";
import type { CustomResourceConversion } from "@coxswain/types/apiextensions-v1";
import { validateService, validateUrl } from "../../../validation/admissionregistration/webhook-client.ts";
import { type Errors, requiredOneOf } from "../../../validation/checks.ts";
import { caBundleProblem } from "./ca-bundle.ts";

const reviewVersions = ["v1", "v1beta1"];

export interface ConversionTolerance {
  readonly requireKnownReview: boolean;
  readonly anyCaBundle: boolean;
}

/** What a new definition's conversion has to keep; a bad bundle only delays it until it is established. */
export const newConversion: ConversionTolerance = { requireKnownReview: true, anyCaBundle: true };

/** What it has to keep after `prev`: only what that kept. */
export function toleranceAfter(prev: CustomResourceConversion | undefined, established: boolean): ConversionTolerance {
  const versions = prev?.webhook?.conversionReviewVersions ?? [];
  const bundle = prev?.webhook?.clientConfig?.caBundle;
  return {
    requireKnownReview: versions.length === 0 || versions.some((version) => reviewVersions.includes(version)),
    anyCaBundle: !established || (bundle ? caBundleProblem(bundle) !== undefined : false),
  };
}

export function validateConversion(out: Errors, path: string, conversion: CustomResourceConversion, tolerance: ConversionTolerance): void {
  const { strategy, webhook } = conversion;
  const { clientConfig } = webhook ?? {};
  const reviews = webhook?.conversionReviewVersions ?? [];
  requiredOneOf(out, `${path}.strategy`, strategy, ["None", "Webhook"]);
  if (strategy === "Webhook") {
    validateClient(out, `${path}.webhookClientConfig`, clientConfig, tolerance);
    validateReviews(out, `${path}.conversionReviewVersions`, reviews, tolerance);
    return;
  }
  const why = "should not be set when strategy is not set to Webhook";
  if (clientConfig !== undefined) out.push(field.forbidden(`${path}.webhookClientConfig`, why));
  if (reviews.length > 0) out.push(field.forbidden(`${path}.conversionReviewVersions`, why));
}

type ClientConfig = NonNullable<CustomResourceConversion["webhook"]>["clientConfig"];

function validateClient(out: Errors, path: string, config: ClientConfig, { anyCaBundle }: ConversionTolerance): void {
  if (config === undefined) {
    out.push(field.required(path, "required when strategy is set to Webhook"));
    return;
  }
  const { url, service, caBundle = "" } = config;
  if ((url === undefined) === (service === undefined)) out.push(field.required(path, "exactly one of url or service is required"));
  else if (url !== undefined) validateUrl(out, `${path}.url`, url);
  else if (service !== undefined) validateService(out, `${path}.service`, service);
  const problem = caBundle === "" || anyCaBundle ? undefined : caBundleProblem(caBundle);
  if (problem !== undefined) out.push(field.invalid(`${path}.caBundle`, caBundle, problem));
}

function validateReviews(out: Errors, path: string, versions: readonly string[], { requireKnownReview }: ConversionTolerance): void {
  if (versions.length === 0) {
    out.push(field.required(path));
    return;
  }
  for (const [i, version] of versions.entries()) {
    if (versions.indexOf(version) < i) out.push(field.invalid(`${path}[${i}]`, version, "duplicate version"));
    else for (const problem of validateDns1035Label(version)) out.push(field.invalid(`${path}[${i}]`, version, problem));
  }
  if (requireKnownReview && !versions.some((version) => reviewVersions.includes(version))) {
    out.push(field.invalid(path, versions, `must include at least one of ${reviewVersions.join(", ")}`));
  }
}
