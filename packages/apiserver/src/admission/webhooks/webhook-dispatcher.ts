/** Which of the configured webhooks a request is for: what both plugins have in common. */
import { forbidden } from "@coxswain/machinery";
import type { AdmissionOperation, AdmissionRequest, AdmissionResource } from "../../contracts/admission.ts";
import type { AdmissionPluginConfigurations } from "../../contracts/admission-configuration.ts";
import type { Authorizer } from "../../contracts/authorizer.ts";
import type { ServedResources } from "../../contracts/served-resource.ts";
import type { WebhookType } from "../../metrics/admission-webhooks.ts";
import { followResource } from "../../storage/follow-resource.ts";
import type { ObjectReader } from "../../storage/object-reader.ts";
import { isAdmissionConfiguration, RequestMatcher } from "../matching/request-matcher.ts";
import { operationNames } from "../matching/rules.ts";
import type { AskServices } from "./ask-webhook.ts";
import type { ReviewedVersions, VersionedObjects } from "./reviewed-objects.ts";
import { type AdmissionWebhook, WebhookConfigurations } from "./webhook-configurations.ts";

export interface WebhookPluginServices extends ObjectReader, AskServices {
  readonly authorize: Authorizer;
  readonly served: Pick<ServedResources, "find" | "byKind" | "of">;
  readonly configuration: AdmissionPluginConfigurations;
}

export class WebhookDispatcher {
  readonly configurations: WebhookConfigurations;
  readonly #services: WebhookPluginServices;
  readonly #resource: string;
  readonly #matcher: RequestMatcher;
  readonly #type: WebhookType;

  constructor(services: WebhookPluginServices, resource: string, type: WebhookType) {
    this.#type = type;
    this.#services = services;
    this.#resource = resource;
    const { mutatingWebhooks, validatingWebhooks } = services.configuration;
    this.configurations = new WebhookConfigurations(type === "admit" ? mutatingWebhooks : validatingWebhooks);
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

  /**
   * The objects as the webhook is to see them; undefined when it is not to be asked. @throws notFound() for a missing namespace,
   * forbidden() for conditions that cannot be evaluated
   */
  async objectsFor(
    request: AdmissionRequest,
    webhook: AdmissionWebhook,
    versions: ReviewedVersions,
  ): Promise<VersionedObjects | undefined> {
    const { criteria, conditions } = webhook;
    const resource = this.#matcher.resourceFor(request, criteria);
    if (resource === undefined || !(await this.#matcher.matchesNamespace(request, criteria))) return undefined;
    const objects = await versions.objects(resource);
    if (conditions === undefined) return objects;
    const { authorize, metrics } = this.#services;
    const { current: object, previous } = objects;
    const outcome = await conditions.evaluate({ request, resource, object, previous, authorize });
    if (outcome.type === "matches") return objects;
    const { name } = webhook.given;
    if (outcome.type === "error") throw forbidden(request.resource.groupResource, nameOf(request), outcome.message);
    metrics.countWebhook({ type: "exclusion", labels: { name, type: this.#type, operation: operationNames[request.operation] } });
    return undefined;
  }
}

/** As errors name it, also before the object has its name. */
const nameOf = ({ name, object }: AdmissionRequest): string => name || (object?.metadata?.name ?? "");
