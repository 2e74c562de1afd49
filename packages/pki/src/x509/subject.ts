/** Whom a certificate is about, or a request for one. @see https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.4 */
import { type Element, partsOf, readObjectIdentifier, readText, tags } from "./der-reader.ts";

export interface Attribute {
  readonly type: string;
  readonly value: string;
}

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

export const valuesOf = (name: readonly Attribute[], type: string): string[] =>
  name.filter((one) => one.type === type).map(({ value }) => value);

/** Of several the last one counts. */
export const commonNameOf = (name: readonly Attribute[]): string => valuesOf(name, attributeTypes.commonName).at(-1) ?? "";
