/** Where a proxied request goes, and which addresses may be meant. */
import { badRequest, parseIp } from "@coxswain/machinery";

export interface Target {
  readonly scheme: "http" | "https";
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

export const hostOf = ({ host, port }: Target): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

export const urlOf = (target: Target, path: string): string => `${target.scheme}://${hostOf(target)}${path}`;

export interface NameAndPort {
  readonly scheme: "http" | "https";
  readonly name: string;
  /** A number or a name; empty when none is named. */
  readonly port: string;
}

/** `name`, `name:port` or `scheme:name:port`; undefined for what is none of these. */
export function splitName(id: string): NameAndPort | undefined {
  const parts = id.split(":");
  const [scheme, name = "", port = ""] = parts.length === 3 ? parts : ["", ...parts];
  if (parts.length > 3 || name === "" || (scheme !== "" && scheme !== "http" && scheme !== "https")) return undefined;
  return { scheme: scheme === "https" ? "https" : "http", name, port };
}

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

/** @throws badRequest() for an address by which the server itself may know other things */
export function checkReach(address: string, loopback: boolean): void {
  const reach = reachOf(address);
  if (reach === "none" || (reach === "loopback" && !loopback)) throw badRequest("address not allowed");
}

/** A number that a port can have. @throws badRequest() */
export function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65535) throw badRequest(`invalid port ${JSON.stringify(text)}`);
  return port;
}
