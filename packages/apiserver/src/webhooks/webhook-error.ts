/** A webhook that could not be asked, or whose answer is none. What it was asked for then fails or goes on as its owner says. */
export class WebhookError extends Error {
  /** Of its HTTP answer; undefined where there was none. */
  readonly httpCode: number | undefined;
  /** Whether its configuration is such that it cannot be called at all. */
  readonly uncallable: boolean;
  /** Whether the same may go well a moment later. */
  readonly isTransient: boolean;
  /** Whether the webhook's answer is a Status, and the message its own. */
  readonly isStatus: boolean;
  constructor(message: string, { httpCode, uncallable = false, isTransient = false, isStatus = false }: WebhookErrorOptions = {}) {
    super(message);
    this.name = "WebhookError";
    this.httpCode = httpCode;
    this.uncallable = uncallable;
    this.isTransient = isTransient;
    this.isStatus = isStatus;
  }
}

export type WebhookErrorOptions = Partial<Pick<WebhookError, "httpCode" | "uncallable" | "isTransient" | "isStatus">>;

/** Whether the connection was lost on the way; one that was closed in order is not. */
export const isConnectionReset = (error: unknown): boolean => {
  const { code, message } = firstOf(error);
  return code === "ECONNRESET" && message !== "socket hang up";
};

/** What failed below HTTP, in the words that Go's client has for it: people search for them. */
export function transportProblem(error: unknown): string {
  const cause = firstOf(error);
  const { code = "", message, address, port, hostname, cert } = cause;
  const at = address === undefined ? "" : ` ${address.includes(":") ? `[${address}]` : address}:${port}`;
  if (cause.name === "AbortError") return "context deadline exceeded";
  if (code in connecting) return `dial tcp${at}: connect: ${connecting[code]}`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `dial tcp: lookup ${hostname}: no such host`;
  if (code === "ECONNRESET" || code === "EPIPE") return message === "socket hang up" ? "EOF" : "connection reset by peer";
  if (code in alerts) return `remote error: tls: ${alerts[code]}`;
  if (unknownAuthority.has(code)) return unverified("certificate signed by unknown authority");
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") return unverified("certificate has expired or is not yet valid");
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return unverified(namesProblem(cert?.subjectaltname, cause.host ?? ""));
  if (code === "EPROTO" && message.includes("wrong version number")) return "http: server gave HTTP response to HTTPS client";
  return message;
}

/** What Node reports of the different ways to fail. */
interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly host?: string;
  readonly cert?: { readonly subjectaltname?: string };
}

/** A host with several addresses fails with an error for each. */
function firstOf(error: unknown): Failure {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0];
  return error instanceof Error ? error : new Error(String(error));
}

const connecting: Readonly<Record<string, string>> = {
  __proto__: null as never,
  ECONNREFUSED: "connection refused",
  ETIMEDOUT: "connection timed out",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  EADDRNOTAVAIL: "cannot assign requested address",
};

/** What servers say that want another certificate, or one at all. */
const alerts: Readonly<Record<string, string>> = {
  __proto__: null as never,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "certificate required",
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: "unknown certificate authority",
  "ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE": "bad certificate",
};

const unknownAuthority: ReadonlySet<string> = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
]);

const unverified = (why: string): string => `tls: failed to verify certificate: x509: ${why}`;

function namesProblem(alternatives: string | undefined, wanted: string): string {
  const names = (alternatives ?? "").split(", ").flatMap((name) => (name.startsWith("DNS:") ? [name.slice("DNS:".length)] : []));
  if (names.length > 0) return `certificate is valid for ${names.join(", ")}, not ${wanted}`;
  return `certificate is not valid for any names, but wanted to match ${wanted}`;
}
