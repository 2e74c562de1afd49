/** Addresses of Pods from a range, each next free one in turn, so that one is not given again at once. */
import { formatIp, parseCidr } from "@coxswain/machinery";

export interface PodAddresses {
  /** Undefined: all are taken. */
  take(): string | undefined;
  giveBack(address: string): void;
}

/** Without the network's own address, that of its bridge, and the broadcast address. @throws TypeError for what is no range */
export function podAddresses(cidr: string): PodAddresses {
  const parsed = parseCidr(cidr);
  if (parsed === undefined) throw new TypeError(`${cidr} is no range of addresses`);
  const { address, prefixLength } = parsed;
  const hostBits = (address.family === 4 ? 32 : 128) - prefixLength;
  const size = hostBits > 24 ? 2 ** 24 : 2 ** hostBits;
  const base = (address.bits >> BigInt(hostBits)) << BigInt(hostBits);
  const taken = new Map<string, number>();
  const numbers = new Set<number>();
  let next = 2;
  return {
    take() {
      for (let tried = 0; tried < size - 3; tried++) {
        if (next >= size - 1) next = 2;
        const number = next++;
        if (numbers.has(number)) continue;
        const text = formatIp({ ...address, bits: base + BigInt(number) });
        numbers.add(number);
        taken.set(text, number);
        return text;
      }
      return undefined;
    },
    giveBack(text) {
      const number = taken.get(text);
      if (number === undefined) return;
      taken.delete(text);
      numbers.delete(number);
    },
  };
}
