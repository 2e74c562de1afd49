/** Values of options that several commands have. */

import { isIP } from "node:net";
import { isAdmissionPlugin, parsePortRange, parseServiceIpRanges } from "@coxswain/apiserver";
import { parseCidr } from "@coxswain/machinery";
import type { ListenAddress } from "@coxswain/proxy";
import { InvalidArgumentError } from "commander";

export const parseList = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65535)) throw new InvalidArgumentError("It must be a number from 0 to 65535.");
  return port;
}

export function parseAddress(text: string): string {
  const address = text === "localhost" ? "127.0.0.1" : text;
  if (isIP(address) === 0) throw new InvalidArgumentError("It must be an IP address.");
  return address;
}

/** Of an address that means each machine itself, nobody else would learn where the server is. What stands for any is the default. */
export function parseAdvertiseAddress(text: string): string {
  const address = parseAddress(text);
  if (/^(?:127\.|::1$|169\.254\.|fe[89ab]|22[4-9]\.|23\d\.|ff)/i.test(address))
    throw new InvalidArgumentError("It must be an address at which other machines, or Pods, reach the server.");
  return address;
}

export function parseSans(text: string): string[] {
  const names = parseList(text);
  const wrong = names.find((name) => isIP(name) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(name));
  if (wrong !== undefined) throw new InvalidArgumentError(`${JSON.stringify(wrong)} is neither a DNS name nor an IP address.`);
  return names;
}

export function parseAdmissionPlugins(text: string): string[] {
  const names = parseList(text);
  const unknown = names.find((name) => !isAdmissionPlugin(name));
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no admission plug-in ${JSON.stringify(unknown)}.`);
  return names;
}

export function parseHttpsUrl(text: string): string {
  if (!URL.canParse(text) || new URL(text).protocol !== "https:")
    throw new InvalidArgumentError("It must be a URL that begins with https://.");
  return text;
}

export function parseBoolean(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidArgumentError("It must be true or false.");
  return text === "true";
}

/** Labels of letters, digits and dashes; without a last dot. */
export function parseDomain(text: string): string {
  const name = text.endsWith(".") ? text.slice(0, -1) : text;
  const isName = name.length <= 200 && name.split(".").every((label) => /^[A-Za-z0-9-]{1,63}$/.test(label));
  if (!isName) throw new InvalidArgumentError("It must be a domain name like cluster.local.");
  return name;
}

/** One, or one of each family, in order; none is the default. What is wrong is said in kube-apiserver's words. */
export function parseServiceRanges(text: string): readonly string[] {
  const ranges = text === "" ? [] : text.split(",");
  try {
    parseServiceIpRanges(ranges);
  } catch (error) {
    throw error instanceof RangeError ? new InvalidArgumentError(error.message) : error;
  }
  return ranges;
}

/** As kube-apiserver takes it, and in its words. */
export function parseNodePortRange(text: string): string {
  try {
    parsePortRange(text);
  } catch (error) {
    throw error instanceof RangeError ? new InvalidArgumentError(error.message) : error;
  }
  return text;
}

/** Networks, with commas in between. */
export function parseCidrs(text: string): readonly string[] {
  const cidrs = parseList(text);
  const wrong = cidrs.find((cidr) => parseCidr(cidr) === undefined);
  if (wrong !== undefined) throw new InvalidArgumentError(`${JSON.stringify(wrong)} is no network like 10.244.0.0/16.`);
  return cidrs;
}

/** The address and port that a component answers at, or nothing. */
export function parseBindAddress(text: string): string {
  const address = listenAddress(text);
  if (address !== undefined) {
    if (isIP(address.host) === 0) throw new InvalidArgumentError("It must be an IP address and a port, like 127.0.0.1:10249.");
    parsePort(String(address.port));
  }
  return text;
}

/** Undefined for an empty text. */
export function listenAddress(text: string): ListenAddress | undefined {
  if (text === "") return undefined;
  const colon = text.lastIndexOf(":");
  const host = text.slice(0, colon);
  return { host: host.startsWith("[") ? host.slice(1, -1) : host, port: parsePort(text.slice(colon + 1)) };
}
