/** Spellings of addresses that are accepted and yet worth a word. */
import { formatCidr, formatIp, goQuote, parseCidr, parseIp } from "@coxswain/machinery";

/** For values that were found valid. */
export function ipWarnings(path: string, value: string): string[] {
  const ip = parseIp(value);
  if (ip === undefined) return [];
  const canonical = formatIp(ip);
  if (ip.leadingZeros || ip.mapped) return [`${path}: non-standard IP address ${goQuote(value)} is invalid: use ${goQuote(canonical)}`];
  if (ip.family === 4 || canonical === value) return [];
  return [`${path}: IPv6 address ${goQuote(value)} should be in RFC 5952 canonical format (${goQuote(canonical)})`];
}

export function cidrWarnings(path: string, value: string): string[] {
  const cidr = parseCidr(value);
  if (cidr === undefined) return [];
  const network = formatCidr(cidr);
  const address = formatIp(cidr.address);
  const warnings: string[] = [];
  if (!network.startsWith(`${address}/`)) {
    const single = `${address}/${cidr.address.family === 4 ? 32 : 128}`;
    warnings.push(
      `${path}: CIDR value ${goQuote(value)} is ambiguous in this context (should be ${goQuote(network)} or ${goQuote(single)}?)`,
    );
  }
  if (cidr.leadingZeros || cidr.address.mapped) {
    warnings.push(`${path}: non-standard CIDR value ${goQuote(value)} is invalid: use ${goQuote(network)}`);
  }
  if (warnings.length === 0 && cidr.address.family === 6 && network !== value) {
    warnings.push(`${path}: IPv6 CIDR value ${goQuote(value)} should be in RFC 5952 canonical format (${goQuote(network)})`);
  }
  return warnings;
}
