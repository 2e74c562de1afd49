/**
 * The ranges from which Services get their addresses, as kube-apiserver's `--service-cluster-ip-range` names them.
 * @see https://kubernetes.io/docs/concepts/services-networking/dual-stack/
 */
import type { ServiceIpFamily } from "@coxswain/api";
import { type Cidr, formatCidr, formatIp, masked, parseCidr } from "@coxswain/machinery";

/** One range, or one of each family. */
export interface ServiceIpRanges {
  /** As networks; the first is that of the default family. */
  readonly cidrs: readonly string[];
  /** In the same order. */
  readonly families: readonly ServiceIpFamily[];
  /** Of Service `default/kubernetes`: the first of the first range. */
  readonly apiServerServiceIp: string;
  /** Of cluster DNS, where nobody names another one: the tenth of the first range, as kubeadm has it. */
  readonly dnsIp: string;
}

/** As kubeadm's. */
const defaultServiceCidrs: readonly string[] = ["10.96.0.0/12"];

const minAddresses = 8n;
/** Of IPv6: what is larger no allocator takes. */
const minPrefixLength6 = 64;

/** None is the default. Messages are kube-apiserver's. @throws RangeError */
export function parseServiceIpRanges(named: readonly string[] = []): ServiceIpRanges {
  const texts = named.length === 0 ? defaultServiceCidrs : named;
  const parsed = texts.map(parseCidr);
  const [first, second] = parsed;
  if (first === undefined) throw new RangeError("service-cluster-ip-range[0] is not a valid cidr");
  if (sizeOf(first) < minAddresses) {
    const why = `the service cluster IP range must be at least ${minAddresses} IP addresses`;
    throw new RangeError(`error determining service IP ranges for primary service cidr: ${why}`);
  }
  if (texts.length > 1 && second === undefined) throw new RangeError("service-cluster-ip-range[1] is not an ip net");
  const ranges = second === undefined ? [first] : [first, second];
  const problems = problemsOf(texts.length, ranges);
  if (problems.length > 0) throw new RangeError(problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`);
  return {
    cidrs: ranges.map(formatCidr),
    families: ranges.map(({ address }) => (address.family === 4 ? "IPv4" : "IPv6")),
    apiServerServiceIp: addressAt(first, 1n),
    dnsIp: addressAt(first, 10n),
  };
}

function problemsOf(count: number, ranges: readonly Cidr[]): string[] {
  const [first, second] = ranges;
  const problems: string[] = [];
  if (count > 2) problems.push("--service-cluster-ip-range must not contain more than two entries");
  if (first?.address.family === second?.address.family)
    problems.push("--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family");
  for (const { address, prefixLength } of ranges)
    if (address.family === 6 && prefixLength < minPrefixLength6)
      problems.push(`shortest allowed prefix length for service CIDR is ${minPrefixLength6}, got ${prefixLength}`);
  return problems;
}

const hostBits = ({ address, prefixLength }: Cidr): number => (address.family === 4 ? 32 : 128) - prefixLength;

/** None in what holds an address or two. */
const sizeOf = (cidr: Cidr): bigint => (hostBits(cidr) <= 1 ? 0n : 1n << BigInt(hostBits(cidr)));

const addressAt = ({ address, prefixLength }: Cidr, index: bigint): string =>
  formatIp({ ...address, bits: masked(address, prefixLength) + index });
