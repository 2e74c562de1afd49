/** One endpoint of an EndpointSlice. */
import {
  field,
  type IpAddress,
  parseIp,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateIp,
  validateLabelValue,
  validateLegacyIp,
} from "@coxswain/machinery";
import type { Endpoint, EndpointHints } from "@coxswain/types/discovery-v1";
import { addInvalid, type Errors } from "../../../validation/checks.ts";
import { validateLabels } from "../../../validation/metadata/parts.ts";

const maxAddresses = 100;
const maxTopologyLabels = 16;
const maxHints = 8;

export function validateEndpoint(out: Errors, path: string, endpoint: Readonly<Endpoint>, addressType: string): void {
  const { nodeName, deprecatedTopology = {}, hostname, hints } = endpoint;
  const addresses = endpoint.addresses ?? [];
  const at = `${path}.addresses`;
  if (addresses.length === 0) out.push(field.required(at, "must contain at least 1 address"));
  else if (addresses.length > maxAddresses) out.push(field.tooMany(at, addresses.length, maxAddresses));
  for (const [i, address] of addresses.entries()) validateAddress(out, `${at}[${i}]`, address, addressType);
  if (nodeName !== undefined) addInvalid(out, `${path}.nodeName`, nodeName, validateDns1123Subdomain(nodeName));
  const labels = Object.keys(deprecatedTopology).length;
  if (labels > maxTopologyLabels) out.push(field.tooMany(`${path}.deprecatedTopology`, labels, maxTopologyLabels));
  validateLabels(out, deprecatedTopology, `${path}.deprecatedTopology`);
  if (hostname !== undefined) addInvalid(out, `${path}.hostname`, hostname, validateDns1123Label(hostname));
  if (hints !== undefined) validateHints(out, `${path}.hints`, hints);
}

/** Addresses of a type that is not known are not checked. */
function validateAddress(out: Errors, at: string, address: string, addressType: string): void {
  if (addressType === "FQDN") {
    validateHostName(out, at, address);
    return;
  }
  if (addressType !== "IPv4" && addressType !== "IPv6") return;
  const problems = addressType === "IPv4" ? validateLegacyIp(address, { strict: true }) : validateIp(address);
  addInvalid(out, at, address, problems);
  const ip = parseIp(address);
  if (problems.length > 0 || ip === undefined) return;
  if (`IPv${ip.family}` !== addressType) {
    // Of the list, as Kubernetes has it.
    out.push(field.invalid(at.slice(0, at.lastIndexOf("[")), address, `must be an ${addressType} address`));
  }
  addInvalid(out, at, address, specialRanges(ip, address));
}

/** Why an endpoint cannot be reached under the address. */
export function specialRanges({ family, bits }: IpAddress, shown: string): string[] {
  const starts = (prefix: bigint, length: number): boolean => bits >> BigInt((family === 4 ? 32 : 128) - length) === prefix;
  const problems: string[] = [];
  if (bits === 0n) problems.push(`may not be unspecified (${shown})`);
  if (family === 4 ? starts(127n, 8) : bits === 1n) problems.push("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (family === 4 ? starts(0xa9fen, 16) : starts(0x3fan, 10))
    problems.push("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  if (family === 4 ? starts(0xe00000n, 24) : ((bits >> 112n) & 0xff0fn) === 0xff02n) {
    problems.push("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
  return problems;
}

function validateHostName(out: Errors, path: string, name: string): void {
  if (name === "") {
    out.push(field.required(path));
    return;
  }
  const bare = name.endsWith(".") ? name.slice(0, -1) : name;
  const problems = validateDns1123Subdomain(bare);
  if (problems.length > 0) {
    out.push(field.invalid(path, bare, problems.join(",")));
    return;
  }
  const parts = bare.split(".");
  if (parts.length < 2) out.push(field.invalid(path, bare, "should be a domain with at least two segments separated by dots"));
  for (const part of parts) {
    const wrong = validateDns1123Label(part);
    if (wrong.length > 0) out.push(field.invalid(path, part, wrong.join(",")));
  }
}

function validateHints(out: Errors, path: string, { forZones = [], forNodes = [] }: Readonly<EndpointHints>): void {
  if (forZones.length > maxHints) {
    out.push(field.tooMany(`${path}.forZones`, forZones.length, maxHints));
    return;
  }
  validateNames(out, `${path}.forZones`, forZones, validateLabelValue);
  if (forNodes.length > maxHints) out.push(field.tooMany(`${path}.forNodes`, forNodes.length, maxHints));
  else validateNames(out, `${path}.forNodes`, forNodes, validateDns1123Subdomain);
}

function validateNames(out: Errors, path: string, items: readonly { readonly name: string }[], check: (name: string) => string[]): void {
  const seen = new Set<string>();
  for (const [i, { name }] of items.entries()) {
    if (seen.has(name)) out.push(field.duplicate(`${path}[${i}].name`, name));
    seen.add(name);
    addInvalid(out, `${path}[${i}].name`, name, check(name));
  }
}
