/** What stands in PEM blocks, as far as its parts go: whether a certificate is good for anything is not checked. */
import { goQuote } from "@coxswain/machinery";
import { DerError, expect, partsOf, pemBlocks, readCertificateRequest, readElements, tags } from "@coxswain/pki";

/** What is wrong with spec.request, base64 of a PEM block. */
export function requestProblem(base64: string): string | undefined {
  const { value: first } = pemBlocks(decode(base64)).next();
  const bytes = bytesOf(first?.body ?? "");
  if (first?.type !== "CERTIFICATE REQUEST" || bytes === undefined) return "PEM block type must be CERTIFICATE REQUEST";
  return derProblem(() => readCertificateRequest(bytes));
}

/** What is wrong with status.certificate, base64 of PEM blocks; nothing is fine. */
export function certificateProblem(base64: string | undefined): string | undefined {
  if (!base64) return undefined;
  let blocks = 0;
  for (const { type, body } of pemBlocks(decode(base64))) {
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(type)}`;
    if (body.includes(":")) return "no PEM block headers are permitted";
    const bytes = bytesOf(body);
    // What is no base64 is no block.
    if (bytes === undefined) continue;
    if (bytes.byteLength === 0) return "found CERTIFICATE PEM block containing 0 certificates";
    if (derProblem(() => readCertificates(bytes)) !== undefined) return "x509: malformed certificate";
    blocks++;
  }
  return blocks === 0 ? "must contain at least one CERTIFICATE PEM block" : undefined;
}

function derProblem(read: () => void): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof DerError) return error.message;
    throw error;
  }
}

/** One block may hold several, one behind the other. @throws DerError */
function readCertificates(bytes: Uint8Array): void {
  for (const certificate of readElements(bytes)) {
    const [signed, algorithm, signature] = partsOf(certificate, tags.sequence);
    const parts = partsOf(signed, tags.sequence).filter(({ tag }) => tag !== explicitVersion);
    expect(parts[0], tags.integer);
    // The signature's algorithm, who signed it, from when until when, who it is about, and its key.
    for (const part of [algorithm, ...Array.from({ length: 5 }, (_, i) => parts[i + 1])]) expect(part, tags.sequence);
    expect(signature, tags.bitString);
  }
}

const explicitVersion = 0xa0;

function bytesOf(body: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** PEM is ASCII: what is not survives as it may. */
function decode(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return "";
  }
}
