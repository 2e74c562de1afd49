/** IP addresses as they stand in certificates. */
import { parseIp } from "@coxswain/machinery";

/** The address as 4 bytes, or 16 for what is written as IPv6. @throws TypeError when it is no IP address */
export function ipBytes(address: string): Uint8Array {
  const ip = parseIp(address);
  if (ip === undefined) throw new TypeError(`not an IP address: ${address}`);
  const bits = ip.mapped ? ip.bits | (0xffffn << 32n) : ip.bits;
  const length = ip.family === 4 && !ip.mapped ? 4 : 16;
  return Uint8Array.from({ length }, (_, i) => Number((bits >> BigInt(8 * (length - 1 - i))) & 0xffn));
}
