/** Certificates as Kubernetes' own signers make them. */

import type { RandomSource } from "@coxswain/machinery";
import { type Attribute, attributeTypes, valuesOf, writeName } from "@coxswain/pki";
import type { CertificateAuthority, SigningRequest, Usage } from "@coxswain/pki/node";

const yearMs = 365 * 24 * 60 * 60 * 1000;
const minMs = 10 * 60 * 1000;
/** Clocks of others may be behind: certificates begin in the past. */
const backdateMs = 5 * 60 * 1000;
/** Shorter ones end when they were asked to, longer ones as much earlier as they begin. */
const shortMs = 8 * 60 * 60 * 1000;

/** PEM. The request must fit its signer's rule, which knows no usages but those that certificates here have. */
export function certify(
  request: SigningRequest,
  { usages, expirationSeconds }: { readonly usages: readonly string[]; readonly expirationSeconds: number | undefined },
  { authority, now, random }: { readonly authority: CertificateAuthority; readonly now: number; readonly random: RandomSource },
): string {
  const askedMs = expirationSeconds === undefined ? yearMs : Math.min(Math.max(expirationSeconds * 1000, minMs), yearMs);
  return authority.issue(
    {
      subject: writeName(keptOf(request.subject)),
      publicKey: request.publicKey,
      notBefore: now - backdateMs,
      notAfter: Math.min(now + askedMs - (askedMs < shortMs ? 0 : backdateMs), authority.notAfter),
      usages: usages as readonly Usage[],
      names: request.names,
    },
    random,
  );
}

const { country, organization, organizationalUnit, locality, province, streetAddress, postalCode, serialNumber, commonName } =
  attributeTypes;
const several = [country, organization, organizationalUnit, locality, province, streetAddress, postalCode];
const single = [commonName, serialNumber];

/** What else a subject says (a user's uid, for one) is not for the requester to choose. */
function keptOf(subject: readonly Attribute[]): Attribute[] {
  const last = (type: string): Attribute[] =>
    valuesOf(subject, type)
      .slice(-1)
      .map((value) => ({ type, value }));
  return [...several.flatMap((type) => valuesOf(subject, type).map((value) => ({ type, value }))), ...single.flatMap(last)];
}
