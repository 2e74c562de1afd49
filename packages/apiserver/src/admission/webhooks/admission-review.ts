/**
 * What a webhook is asked, and what it answers.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#webhook-request-and-response
 */
import { goJsonTypeOf, goQuote, type KubeObject, type Status, stringifyJson } from "@coxswain/machinery";
import type { AdmissionRequest, AdmissionResource } from "../../contracts/admission.ts";
import type { UserInfo } from "../../contracts/authenticator.ts";
import { parseReview, type ReviewKind, shownKind } from "../../webhooks/review.ts";
import { WebhookError } from "../../webhooks/webhook-error.ts";
import { kindOf, namespaceOf, optionsOf } from "../matching/attributes.ts";
import { operationNames } from "../matching/rules.ts";

export type ReviewVersion = "v1" | "v1beta1";

/** The first that both sides speak. */
export const reviewVersionOf = (offered: readonly string[]): ReviewVersion | undefined =>
  offered.find((version) => version === "v1" || version === "v1beta1");

/** The objects of a request as a webhook sees them, as JSON. */
export interface ReviewedObjects {
  /** Of the version that the webhook wants. */
  readonly resource: AdmissionResource;
  readonly object: string;
  readonly previous: string;
}

export interface ReviewId {
  readonly version: ReviewVersion;
  readonly uid: string;
}

export function encodeReview(
  request: AdmissionRequest,
  { resource, object, previous }: ReviewedObjects,
  { version, uid }: ReviewId,
): Buffer {
  const { subresource, name, operation, user, dryRun } = request;
  const namespace = namespaceOf(request);
  const head = {
    uid,
    kind: shownKindOf(resource, subresource),
    resource: shownResource(resource),
    ...(subresource === "" ? {} : { subResource: subresource }),
    requestKind: shownKindOf(request.resource, subresource),
    requestResource: shownResource(request.resource),
    ...(subresource === "" ? {} : { requestSubResource: subresource }),
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation: operationNames[operation],
    userInfo: shownUser(user),
  };
  const options = optionsOf(request);
  const tail = `"object":${object},"oldObject":${previous},"dryRun":${dryRun},"options":${options === undefined ? "null" : stringifyJson(options)}`;
  const body = `${JSON.stringify(head).slice(0, -1)},${tail}}`;
  return Buffer.from(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${version}","request":${body}}\n`);
}

function shownKindOf(resource: AdmissionResource, subresource: string): object {
  const { group, version, kind } = kindOf(resource, subresource);
  return { group, version, kind };
}

const shownResource = ({ definition: { group, version, resource } }: AdmissionResource): object => ({ group, version, resource });

const shownUser = ({ name, uid, groups, extra }: UserInfo): object => ({
  ...(name === "" ? {} : { username: name }),
  ...(uid === "" ? {} : { uid }),
  ...(groups.length === 0 ? {} : { groups }),
  ...(Object.keys(extra).length === 0 ? {} : { extra }),
});

/** What a webhook has decided. */
export interface ReviewResponse {
  readonly allowed: boolean;
  readonly status: Partial<Status> | undefined;
  /** JSON text of a patch; empty for none. */
  readonly patch: Buffer;
  readonly patchType: string;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** An answer of the right form that Kubernetes does not accept. */
export class InvalidReview extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InvalidReview";
  }
}

const reviewKind: ReviewKind = { group: "admission.k8s.io", kind: "AdmissionReview", versions: ["v1", "v1beta1"] };

/** @throws WebhookError for what cannot be read, InvalidReview for what may not be said */
export async function readReview(answer: Buffer, { version, uid }: ReviewId, mutating: boolean): Promise<ReviewResponse> {
  const review = await parseReview(answer, reviewKind, version);
  const response = member(review, "response", "object", `AdmissionReview.response of type ${version}.AdmissionResponse`);
  const given = membersOf(response ?? {}, version);
  if (response === undefined) throw new InvalidReview("webhook response was absent");
  if (version === "v1") checkReview(review, given, { uid, mutating });
  // Older webhooks were never asked to name the type of their patch.
  const patchType = version === "v1" ? (given.patchType ?? "") : "JSONPatch";
  return { ...given, patch: mutating ? given.patch : noPatch, patchType };
}

const noPatch = Buffer.alloc(0);

type Given = Omit<ReviewResponse, "patchType"> & { readonly patchType: string | undefined; readonly uid: string };

function checkReview(review: KubeObject, given: Given, { uid, mutating }: { readonly uid: string; readonly mutating: boolean }): void {
  if (given.uid !== uid) throw new InvalidReview(`expected response.uid=${goQuote(uid)}, got ${goQuote(given.uid)}`);
  const expected = "admission.k8s.io/v1, Kind=AdmissionReview";
  const got = shownKind(review);
  if (got !== expected) throw new InvalidReview(`expected webhook response of ${expected}, got ${got}`);
  const { patch, patchType } = given;
  const patches = patch.byteLength > 0;
  if (!mutating) {
    if (patches) throw new InvalidReview("validating webhook may not return response.patch");
    if (patchType !== undefined) throw new InvalidReview("validating webhook may not return response.patchType");
    return;
  }
  if (patches && patchType === undefined) throw new InvalidReview("webhook returned response.patch but not response.patchType");
  if (!patches && patchType !== undefined) throw new InvalidReview("webhook returned response.patchType but not response.patch");
  if (patchType === "") throw new InvalidReview('webhook returned invalid response.patchType of ""');
}

function membersOf(response: Readonly<Record<string, unknown>>, version: ReviewVersion): Given {
  const at = (name: string, type: string): string => `AdmissionResponse.response.${name} of type ${type}`;
  const uid = member(response, "uid", "string", at("uid", "types.UID")) ?? "";
  const allowed = member(response, "allowed", "boolean", at("allowed", "bool")) ?? false;
  const status = statusOf(member(response, "status", "object", at("status", "v1.Status")));
  const patch = bytesOf(member(response, "patch", "string", at("patch", "[]uint8")) ?? "");
  const patchType = member(response, "patchType", "string", at("patchType", `${version}.PatchType`));
  const annotations = member(response, "auditAnnotations", "object", at("auditAnnotations", "map[string]string")) ?? {};
  const warnings = member(response, "warnings", "array", at("warnings", "[]string")) ?? [];
  for (const key of Object.keys(annotations)) member(annotations, key, "string", at("auditAnnotations", "string"));
  for (const i of warnings.keys()) member(warnings as never, `${i}`, "string", at("warnings", "string"));
  return {
    uid,
    allowed,
    status,
    patch,
    patchType,
    auditAnnotations: annotations as Readonly<Record<string, string>>,
    warnings: warnings as readonly string[],
  };
}

/** @throws WebhookError as Go's decoder words it */
function bytesOf(text: string): Buffer {
  const clean = text.replace(/[\r\n]/g, "");
  const wrong = /^(?:[A-Za-z0-9+/]{4})*/.exec(clean)?.[0].length ?? 0;
  const rest = clean.slice(wrong);
  if (rest !== "" && !/^(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/.test(rest))
    throw new WebhookError(`illegal base64 data at input byte ${wrong}`);
  return Buffer.from(clean, "base64");
}

/** Of a Status only what an error of this server may carry. */
function statusOf(given: Readonly<Record<string, unknown>> | undefined): Partial<Status> | undefined {
  if (given === undefined) return undefined;
  const at = (name: string, type: string): string => `Status.response.status.${name} of type ${type}`;
  const text = (name: "status" | "message" | "reason") =>
    member(given, name, "string", at(name, name === "reason" ? "v1.StatusReason" : "string"));
  const [status, message, reason] = [text("status"), text("message"), text("reason")];
  const code = member(given, "code", "number", at("code", "int32"));
  const details = member(given, "details", "object", at("details", "v1.StatusDetails"));
  return {
    ...(status === undefined ? {} : { status: status as Status["status"] }),
    ...(message === undefined ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details: details as NonNullable<Status["details"]> }),
    ...(code === undefined ? {} : { code }),
  };
}

interface Shapes {
  readonly object: Readonly<Record<string, unknown>>;
  readonly array: readonly unknown[];
  readonly string: string;
  readonly boolean: boolean;
  readonly number: number;
}

/** A field of a typed object: null is as good as absence. @throws WebhookError as Go's decoder words what has another type */
function member<K extends keyof Shapes>(
  parent: Readonly<Record<string, unknown>>,
  name: string,
  shape: K,
  go: string,
): Shapes[K] | undefined {
  const value = Object.hasOwn(parent, name) ? (parent[name] ?? undefined) : undefined;
  if (value === undefined) return undefined;
  const found = Array.isArray(value) ? "array" : typeof value;
  if (found === shape) return value as Shapes[K];
  throw new WebhookError(`json: cannot unmarshal ${goJsonTypeOf(value)} into Go struct field ${go}`);
}
