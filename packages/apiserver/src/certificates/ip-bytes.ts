/** An IP address as the 4 or 16 bytes that stand in a certificate. */
import { isIPv4 } from "node:net";

export function ipBytes(address: string): Uint8Array {
  if (isIPv4(address)) return Uint8Array.from(address.split("."), Number);
  const [head = "", tail] = withoutDots(address).split("::");
  const before = groups(head);
  const after = groups(tail ?? "");
  const zeros = Array<number>(tail === undefined ? 0 : 8 - before.length - after.length).fill(0);
  return Uint8Array.from([...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}

const groups = (text: string): number[] => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));

/** `::ffff:1.2.3.4` writes its last two groups as an IPv4 address. */
const withoutDots = (address: string): string =>
  address.replace(/[\d.]+$/, (last) => {
    if (!last.includes(".")) return last;
    const [a = 0, b = 0, c = 0, d = 0] = last.split(".").map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
