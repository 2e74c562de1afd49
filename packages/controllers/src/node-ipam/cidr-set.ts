/** Ranges of Pods, one for each node, cut from the range of a cluster. */
import { type Cidr, formatIp, masked, parseCidr } from "@coxswain/machinery";

/** How many bits of a cluster's range may tell its nodes: as kube-controller-manager has it. */
const maxNodeBits = 16;

/** Says why a cluster's range cannot be cut into ranges of this size; undefined where it can. */
export function problemWithRange(clusterCidr: string, maskSize: number): string | undefined {
  const cidr = parseCidr(clusterCidr);
  if (cidr === undefined || cidr.address.mapped) return `${clusterCidr} is no range of addresses`;
  if (maskSize < cidr.prefixLength || maskSize > addressBits(cidr))
    return `the node CIDR mask size ${maskSize} does not fit into ${clusterCidr}`;
  return maskSize - cidr.prefixLength > maxNodeBits
    ? `the node CIDR mask size ${maskSize} makes more than ${2 ** maxNodeBits} ranges of ${clusterCidr}`
    : undefined;
}

/** Which ranges are in use, and the next one that is not. What was given back is taken again last, as Pods may still have its addresses. */
export class CidrSet {
  readonly #cidr: Cidr;
  readonly #maskSize: number;
  readonly #count: number;
  /** By how many nodes each is used: two of which somebody else has written the range may have the same. */
  readonly #used = new Map<number, number>();
  #next = 0;

  /** @throws RangeError for what {@link problemWithRange} refuses */
  constructor(clusterCidr: string, maskSize: number) {
    const cidr = parseCidr(clusterCidr);
    const problem = problemWithRange(clusterCidr, maskSize);
    if (cidr === undefined || problem !== undefined) throw new RangeError(problem);
    this.#cidr = cidr;
    this.#maskSize = maskSize;
    this.#count = 2 ** (maskSize - cidr.prefixLength);
  }

  /** Undefined when all are in use. */
  allocateNext(): string | undefined {
    for (let tried = 0; tried < this.#count; tried++) {
      const index = (this.#next + tried) % this.#count;
      if (this.#used.has(index)) continue;
      this.#used.set(index, 1);
      this.#next = (index + 1) % this.#count;
      return this.#rangeAt(index);
    }
    return undefined;
  }

  /** Each that a range overlaps; one from elsewhere overlaps none. */
  occupy(range: string): void {
    for (const index of this.#overlapped(range)) this.#used.set(index, (this.#used.get(index) ?? 0) + 1);
  }

  /** What was allocated or occupied before. */
  release(range: string): void {
    for (const index of this.#overlapped(range)) {
      const count = this.#used.get(index) ?? 0;
      if (count > 1) this.#used.set(index, count - 1);
      else this.#used.delete(index);
    }
  }

  #rangeAt(index: number): string {
    const { address } = this.#cidr;
    const bits = masked(address, this.#cidr.prefixLength) + (BigInt(index) << this.#hostBits);
    return `${formatIp({ ...address, bits })}/${this.#maskSize}`;
  }

  *#overlapped(text: string): Iterable<number> {
    const range = parseCidr(text);
    if (range === undefined || range.address.family !== this.#cidr.address.family) return;
    const { address, prefixLength } = range;
    const start = masked(this.#cidr.address, this.#cidr.prefixLength);
    const from = masked(address, prefixLength) - start;
    const to = from + (1n << BigInt(addressBits(range) - prefixLength)) - 1n;
    const [first, last] = [from >> this.#hostBits, to >> this.#hostBits];
    if (last < 0n || first >= BigInt(this.#count)) return;
    const end = last < BigInt(this.#count) ? Number(last) : this.#count - 1;
    for (let index = first < 0n ? 0 : Number(first); index <= end; index++) yield index;
  }

  get #hostBits(): bigint {
    return BigInt(addressBits(this.#cidr) - this.#maskSize);
  }
}

const addressBits = ({ address }: Cidr): number => (address.family === 4 ? 32 : 128);
