/** Where a proxied request goes, and which addresses may be meant. */
import { badRequest, goQuote, serviceUnavailable } from "@coxswain/machinery";
import { reachOf } from "../http/reach.ts";

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

/** @throws badRequest() for an address by which the server itself may know other things */
export function checkReach(address: string, loopback: boolean): void {
  const reach = reachOf(address);
  if (reach === "none" || (reach === "loopback" && !loopback)) throw badRequest("address not allowed");
}

/** A number that a port can have. @throws badRequest() for what is no number, serviceUnavailable() for one that is none of a port */
export function portNumber(text: string, host: string): number {
  if (!/^\d+$/.test(text)) throw badRequest(`invalid port ${goQuote(text)}`);
  const port = Number(text);
  if (port > 65535) throw serviceUnavailable(`error trying to reach service: dial tcp: address ${text}: invalid port`);
  if (port > 0) return port;
  throw serviceUnavailable(
    `error trying to reach service: dial tcp ${hostOf({ scheme: "http", host, port })}: connect: connection refused`,
  );
}
