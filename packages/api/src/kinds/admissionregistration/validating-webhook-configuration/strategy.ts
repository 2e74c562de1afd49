import { deepEqual } from "@coxswain/machinery";
import type { ValidatingWebhookConfiguration } from "@coxswain/types/admissionregistration-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { reservedNameWarnings } from "../../../validation/admissionregistration/reserved-names.ts";
import { defaultWebhook, validateWebhooks } from "../../../validation/admissionregistration/webhook.ts";
import type { Errors } from "../../../validation/checks.ts";
import { validatingWebhookConfigurationColumns } from "./columns.ts";

/** @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/ */
export const validatingWebhookConfiguration = defineKind<ValidatingWebhookConfiguration>({
  type: "io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration",
  metadataPasses: ["whole"],
  finalizers: "any",
  allowUnconditionalUpdate: false,
  generation: (next, prev) => !deepEqual(next.webhooks ?? [], prev.webhooks ?? []),
  defaults({ webhooks = [] }) {
    for (const hook of webhooks) defaultWebhook(hook);
  },
  validate: ({ webhooks = [] }, prev) => {
    const out: Errors = [];
    validateWebhooks(out, webhooks, prev && (prev.webhooks ?? []));
    return out;
  },
  warnings: ({ metadata }) => reservedNameWarnings(metadata?.name),
  columns: validatingWebhookConfigurationColumns,
});
