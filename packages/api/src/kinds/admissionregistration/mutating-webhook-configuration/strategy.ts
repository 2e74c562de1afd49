import { deepEqual } from "@coxswain/machinery";
import type { MutatingWebhookConfiguration } from "@coxswain/types/admissionregistration-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { reservedNameWarnings } from "../../../validation/admissionregistration/reserved-names.ts";
import { reinvocationPolicies } from "../../../validation/admissionregistration/rules.ts";
import { defaultWebhook, validateWebhooks } from "../../../validation/admissionregistration/webhook.ts";
import { type Errors, oneOf } from "../../../validation/checks.ts";
import { mutatingWebhookConfigurationColumns } from "./columns.ts";

/** @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/ */
export const mutatingWebhookConfiguration = defineKind<MutatingWebhookConfiguration>({
  type: "io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration",
  metadataPasses: ["whole"],
  finalizers: "any",
  allowUnconditionalUpdate: false,
  generation: (next, prev) => !deepEqual(next.webhooks ?? [], prev.webhooks ?? []),
  defaults({ webhooks = [] }) {
    for (const hook of webhooks) {
      defaultWebhook(hook);
      hook.reinvocationPolicy ??= "Never";
    }
  },
  validate: ({ webhooks = [] }, prev) => {
    const out: Errors = [];
    validateWebhooks(out, webhooks, prev && (prev.webhooks ?? []));
    for (const [i, { reinvocationPolicy }] of webhooks.entries()) {
      oneOf(out, `webhooks[${i}].reinvocationPolicy`, reinvocationPolicy, reinvocationPolicies);
    }
    return out;
  },
  warnings: ({ metadata }) => reservedNameWarnings(metadata?.name),
  columns: mutatingWebhookConfigurationColumns,
});
