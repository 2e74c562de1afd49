import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import type { MutatingWebhookConfiguration } from "../../../types/admissionregistration-v1.ts";

export const mutatingWebhookConfigurationColumns = defineColumns<MutatingWebhookConfiguration>([
  nameColumn,
  { name: "Webhooks", type: "integer", description: "How many webhooks are called.", value: ({ webhooks }) => webhooks?.length ?? 0 },
  ageColumn,
]);
