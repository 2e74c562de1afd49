/** What webhooks answer: a review of the kind and version that they were sent. */
import { DecodeError, goJsonTypeOf, goQuote, type KubeObject, parseApiVersion, parseJson, parseYaml } from "@coxswain/machinery";
import { WebhookError } from "./webhook-error.ts";

export interface ReviewKind {
  readonly group: string;
  readonly kind: string;
  /** Those that webhooks may speak. */
  readonly versions: readonly string[];
}

/**
 * The answer to a review of `version`. A kind or apiVersion that is missing stays so: whether it may is the caller's to say.
 * @throws WebhookError in the words of Kubernetes' decoder
 */
export async function parseReview(bytes: Buffer, { group, kind, versions }: ReviewKind, version: string): Promise<KubeObject> {
  const review = await parseObject(bytes);
  const given = { kind: typeOf(review.kind) ?? kind, apiVersion: typeOf(review.apiVersion) ?? `${group}/${version}` };
  const from = parseApiVersion(given.apiVersion);
  if (from === undefined) throw new WebhookError(`unexpected GroupVersion string: ${given.apiVersion}`);
  const known = from.group === group && given.kind === kind && versions.includes(from.version);
  if (known && from.version === version) return review;
  if (known || (given.kind === "Status" && given.apiVersion === "v1"))
    throw new WebhookError(`converting (${from.version}.${given.kind}) to (${version}.${kind}): unknown conversion`);
  throw new WebhookError(
    `no kind ${goQuote(given.kind)} is registered for version ${goQuote(given.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

/** How messages show what a review says it is. */
export function shownKind({ apiVersion, kind }: KubeObject): string {
  const text = typeOf(apiVersion) ?? "";
  return `${text.includes("/") ? text : `/${text}`}, Kind=${typeOf(kind) ?? ""}`;
}

const typeOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

async function parseObject(bytes: Buffer): Promise<KubeObject> {
  try {
    const text = bytes.toString("utf8").trimStart();
    const value = text.startsWith("{") ? parseJson(text) : await parseYaml(text);
    if (value === null || value === undefined) return {};
    if (typeof value === "object" && !Array.isArray(value)) return value as KubeObject;
    throw new DecodeError(
      `json: cannot unmarshal ${goJsonTypeOf(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new WebhookError(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}
