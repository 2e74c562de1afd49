/** What Node reports of a handshake that fails. */
interface TlsFailure {
  readonly code?: string;
  /** What the certificate was to be for, and what it is for. */
  readonly host?: string;
  readonly cert?: { readonly subjectaltname?: string };
}

/** What Go's clients say of handshakes that fail: people search for these words. Undefined for an error of another kind. */
export function tlsReason(error: (Error & TlsFailure) | undefined): string | undefined {
  const { code = "", host = "", cert } = error ?? {};
  if (code in alerts) return `remote error: tls: ${alerts[code]}`;
  if (unknownAuthority.has(code)) return unverified("certificate signed by unknown authority");
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") return unverified("certificate has expired or is not yet valid");
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return unverified(namesProblem(cert?.subjectaltname, host));
  return undefined;
}

/** What servers say that want another certificate, or one at all. */
const alerts: Readonly<Record<string, string>> = {
  __proto__: null as never,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "certificate required",
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: "unknown certificate authority",
  "ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE": "bad certificate",
  "ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED": "expired certificate",
};

const unknownAuthority: ReadonlySet<string> = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
]);

const unverified = (why: string): string => `tls: failed to verify certificate: x509: ${why}`;

function namesProblem(alternatives = "", wanted: string): string {
  const namesOf = (kind: string): string[] =>
    alternatives.split(", ").flatMap((name) => (name.startsWith(kind) ? [name.slice(kind.length)] : []));
  const isAddress = /^[\d.]+$|:/.test(wanted);
  const names = namesOf(isAddress ? "IP Address:" : "DNS:");
  if (names.length > 0) return `certificate is valid for ${names.join(", ")}, not ${wanted}`;
  if (isAddress) return `cannot validate certificate for ${wanted} because it doesn't contain any IP SANs`;
  return `certificate is not valid for any names, but wanted to match ${wanted}`;
}
