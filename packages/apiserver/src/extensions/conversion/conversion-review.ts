/**
 * What a conversion webhook is asked, and the envelope of its answer.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion
 */
import { goJsonTypeOf, goQuote, type KubeObject, type ObjectMeta, stringifyJson } from "@coxswain/machinery";
import { parseReview, type ReviewKind, shownKind } from "../../webhooks/review.ts";
import { WebhookError } from "../../webhooks/webhook-error.ts";

export type ReviewVersion = "v1" | "v1beta1";

export interface ConversionRequest {
  readonly version: ReviewVersion;
  readonly uid: string;
  readonly apiVersion: string;
  readonly objects: readonly Readonly<KubeObject>[];
}

const reviewKind: ReviewKind = { group: "apiextensions.k8s.io", kind: "ConversionReview", versions: ["v1", "v1beta1"] };

/** The first that both sides speak. */
export const reviewVersionOf = (offered: readonly string[]): ReviewVersion | undefined =>
  offered.find((version) => version === "v1" || version === "v1beta1");

/** Kubernetes sends an empty response along. */
export function encodeReview({ version, uid, apiVersion, objects }: ConversionRequest): Buffer {
  const review = {
    kind: reviewKind.kind,
    apiVersion: `${reviewKind.group}/${version}`,
    request: { uid, desiredAPIVersion: apiVersion, objects: objects.map(withoutVersion) },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  };
  return Buffer.from(`${stringifyJson(review)}\n`);
}

/** The resourceVersion is not part of what is stored. */
function withoutVersion(object: Readonly<KubeObject>): Readonly<KubeObject> {
  if (object.metadata?.resourceVersion === undefined) return object;
  const metadata: ObjectMeta = { ...object.metadata };
  delete metadata.resourceVersion;
  return { ...object, metadata };
}

/** Whatever the webhook gives for the objects, in its order. @throws WebhookError when it failed, or speaks of something else */
export async function readConverted(answer: Buffer, { version, uid }: ConversionRequest): Promise<readonly unknown[]> {
  const review = await parseReview(answer, reviewKind, version);
  const response = member(review, "response", "object", { path: "ConversionReview.response", type: `${version}.ConversionResponse` });
  const uidGiven = member(response, "uid", "string", { path: "ConversionResponse.response.uid", type: "types.UID" }) ?? "";
  const result = member(response, "result", "object", { path: "ConversionResponse.response.result", type: "v1.Status" });
  const status = member(result, "status", "string", { path: "Status.response.result.status", type: "string" }) ?? "";
  const message = member(result, "message", "string", { path: "Status.response.result.message", type: "string" }) ?? "";
  const converted = { path: "ConversionResponse.response.convertedObjects", type: "[]runtime.RawExtension" };
  const objects = member(response, "convertedObjects", "array", converted);
  // Older webhooks were never asked to name the request that they answer.
  if (version === "v1") checkIs(review);
  if (response === undefined) throw new WebhookError("no response provided");
  if (version === "v1" && uidGiven !== uid) throw new WebhookError(`expected response.uid=${goQuote(uid)}, got ${goQuote(uidGiven)}`);
  if (status !== "Success") throw new WebhookError(message === "" ? `response.result.status was '${status}', not 'Success'` : message);
  return objects ?? [];
}

function checkIs(review: KubeObject): void {
  const expected = `${reviewKind.group}/v1, Kind=${reviewKind.kind}`;
  const got = shownKind(review);
  if (got !== expected) throw new WebhookError(`expected webhook response of ${expected}, got ${got}`);
}

interface Shapes {
  readonly object: Readonly<Record<string, unknown>>;
  readonly array: readonly unknown[];
  readonly string: string;
}

/** A field of a typed object: null is as good as absence. @throws WebhookError as Go's decoder words what has another type */
function member<K extends keyof Shapes>(
  parent: Readonly<Record<string, unknown>> | undefined,
  name: string,
  shape: K,
  go: { readonly path: string; readonly type: string },
): Shapes[K] | undefined {
  const value = parent?.[name] ?? undefined;
  if (value === undefined) return undefined;
  const found = Array.isArray(value) ? "array" : typeof value;
  if (found === shape) return value as Shapes[K];
  throw new WebhookError(`json: cannot unmarshal ${goJsonTypeOf(value)} into Go struct field ${go.path} of type ${go.type}`);
}
