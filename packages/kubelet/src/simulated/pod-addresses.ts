/** Addresses of Pods from ranges, each next free one in turn, so that one is not given again at once. */
import { formatIp, parseCidr } from "@coxswain/machinery";

export interface PodAddresses {
  /** One of each range. Undefined: those of a range are all taken. */
  take(): readonly string[] | undefined;
  giveBack(address: string): void;
}

/** @throws TypeError for what is no range */
export function podAddresses(cidrs: readonly string[]): PodAddresses {
  const ranges = cidrs.map(addressesIn);
  const giveBack = (address: string): void => {
    for (const range of ranges) range.giveBack(address);
  };
  return {
    take() {
      const taken: string[] = [];
      for (const range of ranges) {
        const address = range.take();
        if (address === undefined) {
          for (const one of taken) giveBack(one);
          return undefined;
        }
        taken.push(address);
      }
      return taken;
    },
    giveBack,
  };
}

/** Without the network's own address, that of its bridge, and the broadcast address. */
function addressesIn(cidr: string) {
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
    take(): string | undefined {
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
    giveBack(text: string): void {
      const number = taken.get(text);
      if (number === undefined) return;
      taken.delete(text);
      numbers.delete(number);
    },
  };
}
