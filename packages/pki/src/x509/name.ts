/** Distinguished names, as certificates and requests for them have them. @see https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.4 */
import { type Element, partsOf, readObjectIdentifier, readText, tags } from "../der/reader.ts";
import { objectIdentifier, sequence, set, utf8String } from "../der/writer.ts";

/** One attribute of a distinguished name: its type is an object identifier with dots. */
export interface Attribute {
  readonly type: string;
  readonly value: string;
}

/** Object identifiers of the attributes that Kubernetes reads and writes. */
export const attributeTypes = {
  commonName: "2.5.4.3",
  serialNumber: "2.5.4.5",
  country: "2.5.4.6",
  locality: "2.5.4.7",
  province: "2.5.4.8",
  streetAddress: "2.5.4.9",
  organization: "2.5.4.10",
  organizationalUnit: "2.5.4.11",
  postalCode: "2.5.4.17",
  /** Kubernetes' own: the uid of a user. */
  userId: "1.3.6.1.4.1.57683.2",
} as const;

/** Attributes that are no text are left out. @throws DerError */
export function readName(name: Element | undefined): Attribute[] {
  return partsOf(name, tags.sequence).flatMap((set) =>
    partsOf(set, tags.set).flatMap((pair) => {
      const [type, value] = partsOf(pair, tags.sequence);
      const text = value === undefined ? undefined : readText(value);
      return text === undefined ? [] : [{ type: readObjectIdentifier(type), value: text }];
    }),
  );
}

/** Returns the values of all attributes of this type, in order. */
export const valuesOf = (name: readonly Attribute[], type: string): string[] =>
  name.filter((one) => one.type === type).map(({ value }) => value);

/** Of several the last one counts. */
export const commonNameOf = (name: readonly Attribute[]): string => valuesOf(name, attributeTypes.commonName).at(-1) ?? "";

/** The name in DER: each attribute in a set of its own, as UTF8String. */
export const writeName = (attributes: readonly Attribute[]): Uint8Array =>
  sequence(...attributes.map(({ type, value }) => set(sequence(objectIdentifier(type), utf8String(value)))));

/** The name in DER of a user (the common name) in groups (the organizations). */
export const nameWith = (commonName: string, organizations: readonly string[] = []): Uint8Array =>
  writeName([
    ...organizations.map((value) => ({ type: attributeTypes.organization, value })),
    { type: attributeTypes.commonName, value: commonName },
  ]);
