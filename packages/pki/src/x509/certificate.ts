/** What is read from a certificate without the platform's help. @see https://www.rfc-editor.org/rfc/rfc5280#section-4.1 */
import { type Element, expect, partsOf, readElement, readObjectIdentifier, tags } from "../der/reader.ts";
import { pemBlocks } from "./pem.ts";

/** The subject of a certificate in its distinguished encoding. @throws DerError */
export function subjectOf(certificate: Element): Element | undefined {
  const [body] = partsOf(certificate, tags.sequence);
  const parts = partsOf(body, tags.sequence);
  const versioned = parts[0]?.tag === 0xa0;
  return parts[versioned ? 5 : 4];
}

const subjectKeyIdentifier = "2.5.29.14";
const extensionsTag = 0xa3;

/** The identifier of its key that a certificate states; undefined where it states none. @throws DerError */
export function subjectKeyIdOf(certificate: Element): Uint8Array | undefined {
  const [body] = partsOf(certificate, tags.sequence);
  const last = partsOf(body, tags.sequence).find(({ tag }) => tag === extensionsTag);
  if (last === undefined) return undefined;
  for (const extension of partsOf(readElement(last.content, tags.sequence), tags.sequence)) {
    const [id, ...rest] = partsOf(extension, tags.sequence);
    if (readObjectIdentifier(expect(id, tags.oid)) !== subjectKeyIdentifier) continue;
    return readElement(expect(rest.at(-1), tags.octetString).content, tags.octetString).content;
  }
  return undefined;
}

/** When a certificate in base64 of PEM ends: milliseconds since the epoch; undefined without one that can be read. */
export function certificateEndMs(base64: string | undefined): number | undefined {
  try {
    const body = pemBlocks(atob(base64 ?? "")).find(({ type }) => type === "CERTIFICATE")?.body;
    if (body === undefined) return undefined;
    const der = Uint8Array.from(atob(body.replace(/\s+/g, "")), (char) => char.charCodeAt(0));
    const fields = partsOf(partsOf(readElement(der, tags.sequence), tags.sequence)[0], tags.sequence);
    // The version, which old certificates lack, comes before the serial number, the algorithm, the issuer and the times.
    const [, end] = partsOf(fields[fields[0]?.tag === 0xa0 ? 4 : 3], tags.sequence);
    return end === undefined ? undefined : timeOf(end);
  } catch {
    return undefined;
  }
}

const utcTime = 0x17;

/** Years of two digits are those up to 2049. @see https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5 */
function timeOf({ tag, content }: Element): number | undefined {
  const text = new TextDecoder().decode(content);
  const digits = tag === utcTime ? `${Number(text.slice(0, 2)) < 50 ? "20" : "19"}${text}` : text;
  const [, ...parts] = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/.exec(digits) ?? [];
  const [year = Number.NaN, month = 1, ...rest] = parts.map(Number);
  const ms = Date.UTC(year, month - 1, ...rest);
  return Number.isNaN(ms) ? undefined : ms;
}
