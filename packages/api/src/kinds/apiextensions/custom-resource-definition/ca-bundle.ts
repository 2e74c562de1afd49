/** Whether a bundle of certificates can be read. What stands in the certificates shows when a connection is made. */

import { pemBlocks } from "@coxswain/pki";

/** `bundle` is PEM in base64. What Go says is wrong with it; undefined when there is a certificate in it. */
export function caBundleProblem(bundle: string): string | undefined {
  let seen = false;
  const blocks = [...pemBlocks(decoded(bundle))];
  for (const { type, body } of blocks) {
    if (type !== "CERTIFICATE" || body.includes(":")) continue;
    if (isSequence(decoded(body))) return undefined;
    seen = true;
  }
  const why = seen
    ? "failed to parse certificate: x509: malformed certificate"
    : blocks.length === 0
      ? "unable to parse bytes as PEM block"
      : "no valid certificate authority data seen";
  return `unable to load root certificates: ${why}`;
}

function decoded(base64: string): string {
  try {
    return atob(base64.replace(/\s/g, ""));
  } catch {
    return "";
  }
}

/** One DER sequence, all of it: tag 0x30, the length in one byte or in as many as its low bits say, then the content. */
function isSequence(der: string): boolean {
  const length = der.charCodeAt(1);
  if (der.charCodeAt(0) !== 0x30 || Number.isNaN(length)) return false;
  const extra = length < 0x80 ? 0 : length - 0x80;
  let size = extra === 0 ? length : 0;
  for (let i = 0; i < extra; i++) size = size * 256 + der.charCodeAt(2 + i);
  return der.length === 2 + extra + size;
}
