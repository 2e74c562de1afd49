/**
 * A client certificate of an authority for clients: its common name is the user, its organisations are the groups.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates
 */

import type { X509Certificate } from "node:crypto";
import type { Clock } from "@coxswain/machinery";
import { attributeTypes, commonNameOf, DerError, readElement, readName, subjectOf, tags, valuesOf } from "@coxswain/pki";
import type { AccessMetrics } from "../contracts/access-metrics.ts";
import type { Authentication, Authenticator } from "../contracts/authenticator.ts";
import type { ClientCertificate } from "../contracts/http.ts";
import { authenticated, unclaimed } from "./authenticator.ts";
import type { ClientAuthorities } from "./client-authorities.ts";

/** Whoever connects is looked at once; that the certificate has not expired meanwhile, with each request. */
export function clientCertificateAuthenticator(
  clock: Clock,
  authorities: ClientAuthorities,
  metrics?: Pick<AccessMetrics, "recordCertificate">,
): Authenticator {
  const verified = verifiedCertificates(clock, authorities, certificateUserOf);
  return ({ clientCertificate }) => {
    if (clientCertificate === undefined) return unclaimed;
    const found = verified(clientCertificate);
    if (typeof found === "string") return refused(found);
    metrics?.recordCertificate((found.notAfter - clock.now()) / 1000);
    return found.answer;
  };
}

/**
 * What `read` makes of the subject of certificates that one of the authorities has signed, for clients, and that are valid now; a text for
 * why one is not. What was found out is kept with the connection until the authorities change.
 */
export function verifiedCertificates<T extends object>(
  clock: Clock,
  authorities: ClientAuthorities,
  read: (certificate: X509Certificate) => T | string,
): (given: ClientCertificate) => T | string {
  const known = new WeakMap<ClientCertificate, Known<T>>();
  return (given) => {
    const now = clock.now();
    let found = known.get(given);
    if (found === undefined || found.generation !== authorities.generation) {
      found = {
        result: problemOf(given, authorities, now) ?? readSubject(given.certificate, read),
        notAfter: given.certificate.validToDate.getTime(),
        generation: authorities.generation,
      };
      known.set(given, found);
    }
    return found.notAfter < now ? expired : found.result;
  };
}

interface Known<T> {
  readonly result: T | string;
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
  readonly generation: number;
}

const expired = "x509: certificate has expired or is not yet valid";
const refused = (why: string): Authentication => ({ kind: "rejected", reason: `verifying certificate failed: ${why}` });

const clientAuth = "1.3.6.1.5.5.7.3.2";
const anyPurpose = "2.5.29.37.0";

function problemOf({ certificate, problem }: ClientCertificate, authorities: ClientAuthorities, now: number): string | undefined {
  if (problem !== undefined) return problem;
  const purposes: readonly string[] | undefined = certificate.keyUsage;
  if (purposes !== undefined && !purposes.includes(clientAuth) && !purposes.includes(anyPurpose)) {
    return "x509: certificate specifies an incompatible key usage";
  }
  return authorities.hasSigned(certificate, now) ? undefined : "x509: certificate signed by unknown authority";
}

function readSubject<T>(certificate: X509Certificate, read: (certificate: X509Certificate) => T | string): T | string {
  try {
    return read(certificate);
  } catch (error) {
    if (error instanceof DerError) return error.message;
    throw error;
  }
}

/** @throws DerError */
export const subjectNameOf = (certificate: X509Certificate): ReturnType<typeof readName> =>
  readName(subjectOf(readElement(certificate.raw, tags.sequence)));

interface CertificateUser {
  readonly answer: Authentication;
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
}

function certificateUserOf(certificate: X509Certificate): CertificateUser | string {
  const answer = userOf(certificate);
  return typeof answer === "string" ? answer : { answer, notAfter: certificate.validToDate.getTime() };
}

function userOf(certificate: X509Certificate): Authentication | string {
  const subject = subjectNameOf(certificate);
  const name = commonNameOf(subject);
  if (name === "") return unclaimed;
  const uids = valuesOf(subject, attributeTypes.userId);
  if (uids.length > 1) return `expected 1 UID, but found multiple: [${uids.join(" ")}]`;
  const [uid] = uids;
  if (uid === "") return "UID cannot be an empty string";
  const id = `X509SHA256=${certificate.fingerprint256.replaceAll(":", "").toLowerCase()}`;
  return authenticated({
    name,
    uid: uid ?? "",
    groups: valuesOf(subject, attributeTypes.organization),
    extra: { "authentication.kubernetes.io/credential-id": [id] },
  });
}
