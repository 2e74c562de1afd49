/** ConfigMaps as the keys of a history: the requests, and what their answers say. */
import { ConnectionError, type Transport, type TransportRequest } from "@coxswain/client";
import { type Failed, type Operation, tokensOf, type Unknown, type Version, type Write } from "../history.ts";

/** What came back in time, whole; undefined for nothing, "unsent" where it is certain that the server has seen nothing. */
export type Answer = { readonly status: number; readonly body: ApiBody } | "unsent" | undefined;

export interface ApiObject {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly uid?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

/** An object, a list or a Status, as far as it is looked into. */
interface ApiBody extends Partial<ApiObject> {
  readonly kind?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly items?: readonly ApiObject[];
}

export const namespacePath = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

/** The token that a watch may select, by a label. */
export const selectedToken = "odd";

export const storedValue = ({ data = {} }: ApiObject): string => Object.keys(data).sort().join(" ");

/** What a write stores beside its tokens, so that objects have a size. */
export interface Padding {
  readonly bytes: number;
}

export function objectOf(name: string, value: string, { bytes }: Padding, resourceVersion?: string): object {
  const tokens = tokensOf(value);
  return {
    ...{ apiVersion: "v1", kind: "ConfigMap" },
    metadata: {
      name,
      ...(tokens.includes(selectedToken) ? { labels: { [selectedToken]: "true" } } : {}),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    data: Object.fromEntries(tokens.map((token) => [token, "x".repeat(bytes)])),
  };
}

export interface Patch {
  readonly how: "merge" | "json" | "apply";
  readonly name: string;
  readonly token: string;
  readonly padding: Padding;
  /** A token that was there, which JSON patches rely on. */
  readonly seen?: string | undefined;
}

/** @returns the content type, and what adds the token */
export function patchOf({ how, name, token, padding: { bytes }, seen }: Patch): [string, object] {
  const padding = "x".repeat(bytes);
  switch (how) {
    case "merge":
      return ["application/merge-patch+json", { data: { [token]: padding } }];
    case "json": {
      const test = seen === undefined ? [] : [{ op: "test", path: `/data/${seen}`, value: padding }];
      return ["application/json-patch+json", [...test, { op: "add", path: `/data/${token}`, value: padding }]];
    }
    case "apply":
      return ["application/apply-patch+yaml", { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { [token]: padding } }];
  }
}

export interface Sent {
  readonly method: TransportRequest["method"];
  readonly path: string;
  readonly body?: object;
  readonly contentType?: string;
  readonly timeoutMs: number;
}

export async function send(
  transport: Transport,
  { method, path, body, contentType = "application/json", timeoutMs }: Sent,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs);
  const content = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
  try {
    const headers: Record<string, string> = body === undefined ? {} : { "content-type": contentType };
    const response = await transport.send({ method, path, headers: { accept: "application/json", ...headers }, ...content, signal });
    const bytes = Buffer.from(await response.bytes());
    return { status: response.status, body: JSON.parse(bytes.toString()) as ApiBody };
  } catch (error) {
    // Cut off, too late or in pieces: all the same to who asked.
    return error instanceof ConnectionError && error.unsent ? "unsent" : undefined;
  }
}

/** The server says that the write is not in the store, or how etcd has refused it, and must be right. */
const nothingWritten = /nothing was written|^etcdserver: (mvcc: database space exceeded|request is too large)/;

/** Answers in which a server says that it has not begun, or has decided against it. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500;

/** Of what has no effect, or certainly had none. */
export function failureOf(answer: Answer, does: Operation["do"]): Failed | Unknown {
  if (answer === undefined) return { kind: "unknown" };
  if (answer === "unsent") return { kind: "failed", reason: "Other" };
  const { status, body } = answer;
  if (!isRefusal(status)) return nothingWritten.test(body.message ?? "") ? { kind: "failed", reason: "Other" } : { kind: "unknown" };
  // Of a create, NotFound is about the namespace.
  if (status === 404 && body.reason === "NotFound" && does !== "create" && does !== "apply") return { kind: "failed", reason: "NotFound" };
  if (status === 409 && body.reason === "AlreadyExists" && does === "create") return { kind: "failed", reason: "AlreadyExists" };
  if (status === 409 && body.reason === "Conflict" && (does === "update" || does === "delete"))
    return { kind: "failed", reason: "Conflict" };
  return { kind: "failed", reason: "Other" };
}

/** Revisions count from the empty namespace. */
export const versionOf = (object: ApiObject, base: number): Version => ({
  key: object.metadata.name,
  value: storedValue(object),
  revision: Number(object.metadata.resourceVersion) - base,
});

export function writeOutcome(answer: Answer, does: Write["do"], base: number): Write["outcome"] {
  if (typeof answer !== "object" || answer.status >= 300) return failureOf(answer, does);
  // The answer to a deletion is a Status without a revision.
  if (does === "delete") return { kind: "ok" };
  const { revision, value } = versionOf(answer.body as ApiObject, base);
  return { kind: "ok", revision, value };
}
