/** How a pod resolves names, and what it is called itself. */
import {
  field,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateDns1123SubdomainWithUnderscore,
  validateLegacyIp,
} from "@coxswain/machinery";
import type { HostAlias, PodDNSConfig, PodSpec } from "@coxswain/types/core-v1";
import { addInvalid, type Errors, isSet } from "../checks.ts";

/** What libc's resolver can hold. */
const maxNameservers = 3;
const maxSearches = 32;
const maxSearchCharacters = 2048;
/** Linux' limit for a host name. */
const maxHostname = 64;

export const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

export function validateDns(out: Errors, path: string, { dnsPolicy, dnsConfig }: Readonly<PodSpec>): void {
  if (dnsPolicy === "None") {
    if (!dnsConfig) return void out.push(field.required(path, "must provide `dnsConfig` when `dnsPolicy` is None"));
    if (!dnsConfig.nameservers?.length) {
      return void out.push(field.required(`${path}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None"));
    }
  }
  if (dnsConfig) validateDnsConfig(out, path, dnsConfig);
}

function validateDnsConfig(out: Errors, path: string, { nameservers = [], searches = [], options = [] }: PodDNSConfig): void {
  if (nameservers.length > maxNameservers) {
    out.push(field.invalid(`${path}.nameservers`, nameservers, `must not have more than ${maxNameservers} nameservers`));
  }
  nameservers.forEach((address, i) => {
    addInvalid(out, `${path}.nameservers[${i}]`, address, validateLegacyIp(address, { strict: true }));
  });
  if (searches.length > maxSearches) {
    out.push(field.invalid(`${path}.searches`, searches, `must not have more than ${maxSearches} search paths`));
  }
  if (searches.join(" ").length > maxSearchCharacters) {
    const detail = `must not have more than ${maxSearchCharacters} characters (including spaces) in the search list`;
    out.push(field.invalid(`${path}.searches`, searches, detail));
  }
  searches.forEach((search, i) => {
    const domain = search.endsWith(".") ? search.slice(0, -1) : search;
    if (search !== ".") addInvalid(out, `${path}.searches[${i}]`, domain, validateDns1123SubdomainWithUnderscore(domain));
  });
  options.forEach(({ name }, i) => {
    if (!name) out.push(field.required(`${path}.options[${i}]`, "must not be empty"));
  });
}

export function validateHostNames(out: Errors, path: string, { hostname, subdomain }: Readonly<PodSpec>): void {
  if (hostname) addInvalid(out, `${path}.hostname`, hostname, validateDns1123Label(hostname));
  if (subdomain) addInvalid(out, `${path}.subdomain`, subdomain, validateDns1123Label(subdomain));
}

export function validateHostAliases(out: Errors, path: string, aliases: readonly HostAlias[] | undefined): void {
  aliases?.forEach(({ ip, hostnames }, i) => {
    addInvalid(out, `${path}[${i}].ip`, ip, validateLegacyIp(ip, { strict: true }));
    hostnames?.forEach((name, j) => {
      addInvalid(out, `${path}[${i}].hostnames[${j}]`, name, validateDns1123Subdomain(name));
    });
  });
}

/** @see https://kep.k8s.io/4762 */
export function validateHostnameOverride(out: Errors, path: string, spec: Readonly<PodSpec>): void {
  const name = spec.hostnameOverride;
  if (!isSet(name)) return;
  if (spec.setHostnameAsFQDN) out.push(field.forbidden(path, "may not be specified when setHostnameAsFQDN is true"));
  if (spec.hostNetwork) out.push(field.forbidden(path, "may not be specified when hostNetwork is true"));
  if (name.length > maxHostname) out.push(field.tooLong(path, maxHostname));
  addInvalid(out, path, name, validateDns1123Subdomain(name));
}
