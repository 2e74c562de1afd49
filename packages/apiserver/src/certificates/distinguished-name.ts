/** Names of subjects, as certificates have them. @see https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.4 */
import { type Attribute, attributeTypes, type Element, partsOf, tags } from "@coxswain/pki";
import { objectIdentifier, sequence, set, utf8String } from "./der-writer.ts";

export const writeName = (attributes: readonly Attribute[]): Uint8Array =>
  sequence(...attributes.map(({ type, value }) => set(sequence(objectIdentifier(type), utf8String(value)))));

/** The encoded name of a user in these groups. */
export const nameWith = (commonName: string, organizations: readonly string[] = []): Uint8Array =>
  writeName([
    ...organizations.map((value) => ({ type: attributeTypes.organization, value })),
    { type: attributeTypes.commonName, value: commonName },
  ]);

/** The subject of a certificate in its distinguished encoding. @throws DerError */
export function subjectOf(certificate: Element): Element | undefined {
  const [body] = partsOf(certificate, tags.sequence);
  const parts = partsOf(body, tags.sequence);
  const versioned = parts[0]?.tag === 0xa0;
  return parts[versioned ? 5 : 4];
}
