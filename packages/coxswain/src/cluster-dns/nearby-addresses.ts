/** Who may ask for names: Pods and nodes, and nobody from the Internet, whom answers could be made to flood. */
import type { NetworkInterfaceInfo } from "node:os";
import { type Cidr, type Clock, cidrContains, parseCidr, parseIp } from "@coxswain/machinery";

type Interfaces = Readonly<Record<string, readonly Pick<NetworkInterfaceInfo, "cidr">[] | undefined>>;

/** For networks of one's own, links and this machine, by RFC 1918, 6598, 3927, 4193 and 4291. */
const privateCidrs = [
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "169.254.0.0/16",
  "127.0.0.0/8",
  "fc00::/7",
  "fe80::/10",
  "::1/128",
].flatMap((cidr) => parseCidr(cidr) ?? []);

/** How long it is believed which networks this machine is in; bridges of Pods come late. Milliseconds. */
const interfacesMs = 5_000;

/** Says of an address whether it is private, or of a network that this machine is in. */
export function nearbyAddresses(interfaces: () => Interfaces, clock: Clock): (address: string) => boolean {
  let readAt = Number.NEGATIVE_INFINITY;
  let own: readonly Cidr[] = [];
  const ownNetworks = (): readonly Cidr[] => {
    const now = clock.monotonic();
    if (now - readAt < interfacesMs) return own;
    readAt = now;
    const all = Object.values(interfaces()).flatMap((one) => one ?? []);
    own = all.flatMap(({ cidr }) => parseCidr(cidr ?? "") ?? []);
    return own;
  };
  return (address) => {
    // Addresses of links have the name of theirs behind them.
    const ip = parseIp(address.split("%", 1)[0] ?? "");
    if (ip === undefined) return false;
    const isIn = (cidr: Cidr): boolean => cidrContains(cidr, ip);
    return privateCidrs.some(isIn) || ownNetworks().some(isIn);
  };
}
