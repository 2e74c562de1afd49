import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import type { ValidatingWebhookConfiguration } from "../../../types/admissionregistration-v1.ts";

export const validatingWebhookConfigurationColumns = defineColumns<ValidatingWebhookConfiguration>([
  nameColumn,
  { name: "Webhooks", type: "integer", description: "How many webhooks are called.", value: ({ webhooks }) => webhooks?.length ?? 0 },
  ageColumn,
]);
