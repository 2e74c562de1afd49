import type { MutatingWebhookConfiguration } from "@coxswain/types/admissionregistration-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const mutatingWebhookConfigurationColumns = defineColumns<MutatingWebhookConfiguration>([
  nameColumn,
  { name: "Webhooks", type: "integer", description: "How many webhooks are called.", value: ({ webhooks }) => webhooks?.length ?? 0 },
  ageColumn,
]);
