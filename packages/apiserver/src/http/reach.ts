/** Which part of the network an address belongs to. */
import { parseIp } from "@coxswain/machinery";

export type Reach = "global" | "loopback" | "none";

/** Which part of the network an address belongs to; "none" for those that no host may be asked by. */
export function reachOf(address: string): Reach {
  const ip = parseIp(address);
  if (ip === undefined) return "none";
  const { bits } = ip;
  if (ip.family === 4) {
    const first = Number(bits >> 24n);
    if (first === 127) return "loopback";
    const isLinkLocal = bits >> 16n === 0xa9fen;
    return bits === 0n || bits === 0xffffffffn || (first >= 224 && first < 240) || isLinkLocal ? "none" : "global";
  }
  if (bits === 1n) return "loopback";
  const isLinkLocal = bits >> 118n === 0x3fan;
  return bits === 0n || bits >> 120n === 0xffn || isLinkLocal ? "none" : "global";
}
