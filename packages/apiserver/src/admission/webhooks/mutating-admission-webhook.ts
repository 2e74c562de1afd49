/**
 * Lets webhooks change objects, one after the other, and those that want it once more when others have changed something since.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#reinvocation-policy
 */
import { deepEqual, goQuote, internalError, type KubeObject } from "@coxswain/machinery";
import type { AdmissionPluginFactory, AdmissionRequest, Reinvocation } from "../../contracts/admission.ts";
import { cloneJson } from "../../storage/clone-json.ts";
import { inVersion } from "../matching/in-version.ts";
import type { ReviewResponse } from "./admission-review.ts";
import { askWebhook, CallFailure } from "./ask-webhook.ts";
import { applyPatch, decodePatch, replaceContent } from "./mutated-object.ts";
import { ReviewedVersions, type VersionedObjects } from "./reviewed-objects.ts";
import type { AdmissionWebhook } from "./webhook-configurations.ts";
import { WebhookDispatcher, type WebhookPluginServices } from "./webhook-dispatcher.ts";

const name = "MutatingAdmissionWebhook";

export const mutatingAdmissionWebhook: AdmissionPluginFactory<WebhookPluginServices> = {
  name,
  create: (services) => {
    const dispatcher = new WebhookDispatcher(services, "mutatingwebhookconfigurations", "admit");
    return {
      handles: (request) => dispatcher.handles(request),
      mayWait: (...target) => dispatcher.mayWait(...target),
      start: () => dispatcher.start(),
      mutate: (request) => mutate(services, dispatcher, request),
    };
  },
};

/** What the first round leaves for the second. */
interface Rounds {
  /** Asked already, and to be asked again when something changes. */
  readonly asked: Set<string>;
  /** Those of them for which something has. */
  readonly outdated: Set<string>;
  /** After the last webhook; undefined where none is to be asked again. */
  left: KubeObject | undefined;
}

async function mutate(services: WebhookPluginServices, dispatcher: WebhookDispatcher, request: AdmissionRequest): Promise<void> {
  request.reinvocation ??= { needed: false, round: 0, kept: new Map() };
  const rounds = roundsOf(request.reinvocation);
  const again = request.reinvocation.round === 1;
  // Whatever has changed it since: all that want to know are asked.
  if (again && rounds.left !== undefined && !deepEqual(rounds.left, request.object)) outdate(rounds);
  const versions = new ReviewedVersions(services.served, request);
  for (const [index, webhook] of dispatcher.configurations.all.entries()) {
    const objects = await dispatcher.objectsFor(request, webhook, versions);
    if (objects === undefined || (again && !rounds.outdated.has(webhook.id))) continue;
    const changed = await askWebhook(services, { type: "admit", webhook, request, objects: versions.reviewed(objects) }, (response) =>
      change(services, { request, webhook, objects, response, versions }),
    );
    annotate(request, webhook, `round_${request.reinvocation.round}_index_${index}`, changed);
    if (changed === true) {
      outdate(rounds);
      request.reinvocation.needed = true;
    }
    if (webhook.given.reinvocationPolicy === "IfNeeded") rounds.asked.add(webhook.id);
  }
  rounds.left = rounds.asked.size > 0 && request.object !== undefined ? cloneJson(request.object) : undefined;
}

function roundsOf({ kept }: Reinvocation): Rounds {
  const known = kept.get(name) as Rounds | undefined;
  if (known !== undefined) return known;
  const made: Rounds = { asked: new Set(), outdated: new Set(), left: undefined };
  kept.set(name, made);
  return made;
}

function outdate({ asked, outdated }: Rounds): void {
  for (const id of asked) outdated.add(id);
  asked.clear();
}

/** For the audit log: whether it has changed the object, or could not be asked. */
function annotate(request: AdmissionRequest, { configuration, given }: AdmissionWebhook, at: string, changed: boolean | undefined): void {
  request.auditAnnotations ??= new Map();
  const mutated = JSON.stringify({ configuration, webhook: given.name, mutated: changed === true });
  request.auditAnnotations.set(`mutation.webhook.admission.k8s.io/${at}`, mutated);
  if (changed === undefined) request.auditAnnotations.set(`failed-open.mutating.webhook.admission.k8s.io/${at}`, given.name);
}

interface PatchedRequest {
  readonly request: AdmissionRequest;
  readonly webhook: AdmissionWebhook;
  readonly objects: VersionedObjects;
  readonly response: ReviewResponse;
  readonly versions: ReviewedVersions;
}

/** Whether the answer changes the object, which it then has. */
async function change(
  { served }: WebhookPluginServices,
  { request, webhook, objects, response, versions }: PatchedRequest,
): Promise<boolean> {
  if (response.patch.byteLength === 0) return false;
  const patch = decodePatch(response.patch);
  if (patch.length === 0) return false;
  const { current, resource } = objects;
  const { object, subresource } = request;
  if (current === undefined || object === undefined) {
    const webhookName = goQuote(webhook.given.name);
    throw internalError(`admission webhook ${webhookName} attempted to modify the object, which is not supported for this operation`);
  }
  if (response.patchType !== "JSONPatch") throw new CallFailure(`unsupported patch type ${goQuote(response.patchType)}`, 400);
  const patched = applyPatch(served, current, patch, { resource, subresource, name: request.name });
  replaceContent(object, await inVersion(served, patched.object, { from: resource, to: request.resource, subresource }));
  versions.forget();
  return patched.changed;
}
