/** The address under which others know this machine: that of its default route, as Kubernetes' components choose it. */
import { readFileSync } from "node:fs";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

export interface HostNetwork {
  /** As `/proc/net/route` and `/proc/net/ipv6_route` have it; empty where there are no such files. */
  readonly routes: string;
  readonly routes6: string;
  readonly interfaces: Readonly<Record<string, readonly Pick<NetworkInterfaceInfo, "address" | "family" | "internal">[] | undefined>>;
}

/** Undefined when no other machine can reach this one. */
export const hostAddress = (network: HostNetwork = thisNetwork()): string | undefined => addressesOf(network)[0]?.address;

/** That of a family; undefined where it has none. */
export const hostAddressOf = (family: "IPv4" | "IPv6", network: HostNetwork = thisNetwork()): string | undefined =>
  addressesOf(network).find((one) => one.family === family)?.address;

/** Those by which others can reach it, best first. */
function addressesOf({ routes, routes6, interfaces }: HostNetwork) {
  const all = Object.values(interfaces).flatMap((addresses) => addresses ?? []);
  const on = (name: string, family: "IPv4" | "IPv6") => (interfaces[name] ?? []).filter((one) => one.family === family);
  const candidates = [
    ...defaultInterfaces(routes).flatMap((name) => on(name, "IPv4")),
    ...defaultInterfaces6(routes6).flatMap((name) => on(name, "IPv6")),
    ...all.filter(({ family }) => family === "IPv4"),
    ...all,
  ];
  return candidates.filter(({ internal, address }) => !internal && !isLinkLocal(address));
}

/** The first of a machine's addresses is the one that it is known by. */
export const hostAddressFirst = (addresses: readonly string[], host = hostAddress()): readonly string[] =>
  host !== undefined && addresses.includes(host) ? [host, ...addresses.filter((one) => one !== host)] : addresses;

const isUp = 1;
const isGateway = 2;

function defaultInterfaces(table: string): readonly string[] {
  return rowsOf(table).flatMap(([name = "", destination, , flags = "", , , , mask]) =>
    destination === "00000000" && mask === "00000000" && isUsed(flags) ? [name] : [],
  );
}

function defaultInterfaces6(table: string): readonly string[] {
  return rowsOf(table).flatMap(([destination = "", length, , , , , , , flags = "", name = ""]) =>
    /^0{32}$/.test(destination) && length === "00" && isUsed(flags) ? [name] : [],
  );
}

const isUsed = (flags: string): boolean => {
  const bits = Number.parseInt(flags, 16);
  return (bits & isUp) !== 0 && (bits & isGateway) !== 0;
};

const rowsOf = (table: string): readonly (readonly string[])[] => table.split("\n").map((line) => line.trim().split(/\s+/));

const isLinkLocal = (address: string): boolean => /^fe[89ab]/i.test(address) || address.startsWith("169.254.");

function thisNetwork(): HostNetwork {
  return { routes: textOf("/proc/net/route"), routes6: textOf("/proc/net/ipv6_route"), interfaces: networkInterfaces() };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Not on Linux, or hidden from this process.
    return "";
  }
}
