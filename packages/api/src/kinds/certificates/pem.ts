/** PEM as far as its frame goes: whether the certificate inside is one is not looked at. */
import { goQuote } from "@coxswain/machinery";

const block = /-----BEGIN ([^\r\n]*?)-----[ \t]*\r?\n([\s\S]*?)-----END \1-----/;

/** What is wrong with spec.request, base64 of a PEM block. */
export function requestProblem(base64: string): string | undefined {
  const [, type] = block.exec(decode(base64)) ?? [];
  return type === "CERTIFICATE REQUEST" ? undefined : "PEM block type must be CERTIFICATE REQUEST";
}

/** What is wrong with status.certificate, base64 of PEM blocks; nothing is fine. */
export function certificateProblem(base64: string | undefined): string | undefined {
  if (!base64) return undefined;
  let rest = decode(base64);
  let blocks = 0;
  for (let match = block.exec(rest); match !== null; match = block.exec(rest)) {
    const [whole, type = "", body = ""] = match;
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(type)}`;
    if (body.includes(":")) return "no PEM block headers are permitted";
    rest = rest.slice(match.index + whole.length);
    blocks++;
  }
  return blocks === 0 ? "must contain at least one CERTIFICATE PEM block" : undefined;
}

/** PEM is ASCII: what is not survives as it may. */
function decode(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return "";
  }
}
