/** IPv4 and IPv6 have a table of rules each. */
import { parseCidr, parseIp } from "@coxswain/machinery";

/** As `spec.ipFamilies` names them. */
export type IpFamily = "IPv4" | "IPv6";

/** In the order in which they are synced. */
export const ipFamilies: readonly IpFamily[] = ["IPv4", "IPv6"];

const named = (family: 4 | 6 | undefined): IpFamily | undefined => (family === undefined ? undefined : family === 4 ? "IPv4" : "IPv6");

/** Undefined for what is no address. */
export const familyOfIp = (ip: string): IpFamily | undefined => named(parseIp(ip)?.family);

/** Undefined for what is no network. */
export const familyOfCidr = (cidr: string): IpFamily | undefined => named(parseCidr(cidr)?.address.family);
