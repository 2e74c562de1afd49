/** What a Pod calls itself. @see https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/ */
import { goQuote, trimRight, validateDns1123Label, validateDns1123Subdomain } from "@coxswain/machinery";
import type { Pod } from "../../pod/pod.ts";
import type { HostName } from "./hosts-file.ts";

/** What Linux takes. */
const maxNameLength = 63;
const maxFqdnLength = 64;

/** @throws Error in Kubernetes' words */
export function hostNameOf({ metadata, spec }: Pod, clusterDomain: string): HostName {
  if (spec?.hostnameOverride !== undefined) {
    const name = spec.hostnameOverride;
    check(validateDns1123Subdomain(name), `pod HostnameOverride ${goQuote(name)} is not a valid DNS subdomain`);
    return { name: truncated(name), domain: "" };
  }
  const { hostname = "", subdomain = "" } = spec ?? {};
  if (hostname !== "") check(validateDns1123Label(hostname), `pod Hostname ${goQuote(hostname)} is not a valid DNS label`);
  if (subdomain !== "") check(validateDns1123Label(subdomain), `pod Subdomain ${goQuote(subdomain)} is not a valid DNS label`);
  return {
    name: truncated(hostname === "" ? (metadata?.name ?? "") : hostname),
    domain: subdomain === "" ? "" : `${subdomain}.${metadata?.namespace ?? ""}.svc.${clusterDomain}`,
  };
}

/** As it is set in the sandbox. @throws Error in Kubernetes' words */
export function kernelHostName({ spec }: Pod, { name, domain }: HostName): string {
  if (spec?.setHostnameAsFQDN !== true || domain === "") return name;
  const fqdn = `${name}.${domain}`;
  if (fqdn.length <= maxFqdnLength) return fqdn;
  const limits = `(${maxFqdnLength} characters is the max, ${fqdn.length} characters requested)`;
  throw new Error(`failed to construct FQDN from pod hostname and cluster domain, FQDN ${fqdn} is too long ${limits}`);
}

/** A name must not end in what only joins names. */
const truncated = (name: string): string => (name.length <= maxNameLength ? name : trimRight(name.slice(0, maxNameLength), "-."));

function check(problems: readonly string[], what: string): void {
  if (problems.length > 0) throw new Error(`${what}: ${problems.join(";")}`);
}
