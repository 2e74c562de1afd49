import { parseIp } from "@coxswain/machinery";

/** As `ipFamilies` of a Service names it. */
export type ServiceIpFamily = "IPv4" | "IPv6";

/** Undefined for what is no address. */
export function ipFamilyOf(ip: string): ServiceIpFamily | undefined {
  const family = parseIp(ip)?.family;
  return family === undefined ? undefined : family === 4 ? "IPv4" : "IPv6";
}
