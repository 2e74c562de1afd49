/**
 * Asks webhooks whether a request may be, all at once.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
import type { AdmissionPluginFactory, AdmissionRequest } from "../../contracts/admission.ts";
import { askWebhook, type Question } from "./ask-webhook.ts";
import { ReviewedVersions } from "./reviewed-objects.ts";
import { WebhookDispatcher, type WebhookPluginServices } from "./webhook-dispatcher.ts";

export const validatingAdmissionWebhook: AdmissionPluginFactory<WebhookPluginServices> = {
  name: "ValidatingAdmissionWebhook",
  create: (services) => {
    const dispatcher = new WebhookDispatcher(services, "validatingwebhookconfigurations", "validating");
    return {
      handles: (request) => dispatcher.handles(request),
      mayWait: (...target) => dispatcher.mayWait(...target),
      start: () => dispatcher.start(),
      validate: (request) => validate(services, dispatcher, request),
    };
  },
};

/** @throws what the first of them that objects says; the others are waited for */
async function validate(services: WebhookPluginServices, dispatcher: WebhookDispatcher, request: AdmissionRequest): Promise<void> {
  const versions = new ReviewedVersions(services.served, request);
  const questions: Question[] = [];
  for (const webhook of dispatcher.configurations.all) {
    const objects = await dispatcher.objectsFor(request, webhook, versions);
    if (objects !== undefined) questions.push({ type: "validating", webhook, request, objects: versions.reviewed(objects) });
  }
  const answers = await Promise.allSettled(questions.map((question) => askWebhook(services, question, async () => true)));
  for (const [index, answer] of answers.entries()) {
    if (answer.status === "fulfilled" && answer.value === undefined) noteFailedOpen(request, questions[index], index);
  }
  for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
}

function noteFailedOpen(request: AdmissionRequest, question: Question | undefined, index: number): void {
  if (question === undefined) return;
  request.auditAnnotations ??= new Map();
  request.auditAnnotations.set(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`, question.webhook.given.name);
}
