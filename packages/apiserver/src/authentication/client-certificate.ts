/**
 * A client certificate of the cluster's authority: its common name is the user, its organisations are the groups.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates
 */

import type { X509Certificate } from "node:crypto";
import type { Clock } from "@coxswain/machinery";
import { attributeTypes, commonNameOf, DerError, readElement, readName, subjectOf, tags, valuesOf } from "@coxswain/pki";
import type { Authentication, Authenticator } from "../contracts/authenticator.ts";
import type { ClientCertificate } from "../contracts/http.ts";
import { authenticated, unclaimed } from "./authenticator.ts";

interface Known {
  readonly answer: Authentication;
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
}

/** Whoever connects is looked at once; that the certificate has not expired meanwhile, with each request. */
export function clientCertificateAuthenticator(clock: Clock): Authenticator {
  const known = new WeakMap<ClientCertificate, Known>();
  return ({ clientCertificate }) => {
    if (clientCertificate === undefined) return unclaimed;
    let found = known.get(clientCertificate);
    if (found === undefined) {
      found = { answer: judge(clientCertificate), notAfter: clientCertificate.certificate.validToDate.getTime() };
      known.set(clientCertificate, found);
    }
    return found.notAfter < clock.now() ? refused("x509: certificate has expired or is not yet valid") : found.answer;
  };
}

const refused = (why: string): Authentication => ({ kind: "rejected", reason: `verifying certificate failed: ${why}` });

const clientAuth = "1.3.6.1.5.5.7.3.2";
const anyPurpose = "2.5.29.37.0";

function judge({ certificate, problem }: ClientCertificate): Authentication {
  if (problem !== undefined) return refused(problem);
  const purposes: readonly string[] | undefined = certificate.keyUsage;
  if (purposes !== undefined && !purposes.includes(clientAuth) && !purposes.includes(anyPurpose)) {
    return refused("x509: certificate specifies an incompatible key usage");
  }
  try {
    return userOf(certificate);
  } catch (error) {
    if (error instanceof DerError) return refused(error.message);
    throw error;
  }
}

function userOf(certificate: X509Certificate): Authentication {
  const subject = readName(subjectOf(readElement(certificate.raw, tags.sequence)));
  const name = commonNameOf(subject);
  if (name === "") return unclaimed;
  const [uid = "", ...more] = valuesOf(subject, attributeTypes.userId);
  if (more.length > 0) return refused(`expected 1 UID, but found multiple: [${[uid, ...more].join(" ")}]`);
  const id = `X509SHA256=${certificate.fingerprint256.replaceAll(":", "").toLowerCase()}`;
  return authenticated({
    name,
    uid,
    groups: valuesOf(subject, attributeTypes.organization),
    extra: { "authentication.kubernetes.io/credential-id": [id] },
  });
}
