/** Which of the configured webhooks a request is for: what both plugins have in common. */
import type { AdmissionOperation, AdmissionRequest, AdmissionResource } from "../../contracts/admission.ts";
import type { ServedResources } from "../../contracts/served-resource.ts";
import { followResource } from "../../storage/follow-resource.ts";
import type { ObjectReader } from "../../storage/object-reader.ts";
import { isAdmissionConfiguration, RequestMatcher } from "../matching/request-matcher.ts";
import type { AskServices } from "./ask-webhook.ts";
import { type AdmissionWebhook, WebhookConfigurations } from "./webhook-configurations.ts";

export interface WebhookPluginServices extends ObjectReader, AskServices {
  readonly served: Pick<ServedResources, "find" | "byKind" | "of">;
}

export class WebhookDispatcher {
  readonly configurations = new WebhookConfigurations();
  readonly #services: WebhookPluginServices;
  readonly #resource: string;
  readonly #matcher: RequestMatcher;

  constructor(services: WebhookPluginServices, resource: string) {
    this.#services = services;
    this.#resource = resource;
    this.#matcher = new RequestMatcher(services);
  }

  /** A configuration is in force once its write is answered. */
  start(): Promise<Disposable> {
    const name = { group: "admissionregistration.k8s.io", version: "v1", resource: this.#resource };
    return followResource(this.#services, name, (at, object) => this.configurations.set(at.name, object));
  }

  /** Whether any webhook may be for the request. Makes nothing. */
  handles(request: AdmissionRequest): boolean {
    const { all } = this.configurations;
    if (all.length === 0 || isAdmissionConfiguration(request.resource)) return false;
    for (const { criteria } of all) if (this.#matcher.resourceFor(request, criteria) !== undefined) return true;
    return false;
  }

  mayWait(operation: AdmissionOperation, resource: AdmissionResource, subresource: string): boolean {
    const { all } = this.configurations;
    if (all.length === 0 || isAdmissionConfiguration(resource)) return false;
    return all.some(({ criteria }) => this.#matcher.mayMatch(criteria, { operation, resource, subresource }));
  }

  /** The resource as which the webhook is to see the request; undefined when it is not for it. @throws notFound() for a missing namespace */
  async resourceFor(request: AdmissionRequest, { criteria }: AdmissionWebhook): Promise<AdmissionResource | undefined> {
    const found = this.#matcher.resourceFor(request, criteria);
    if (found === undefined || !(await this.#matcher.matchesNamespace(request, criteria))) return undefined;
    return found;
  }
}
