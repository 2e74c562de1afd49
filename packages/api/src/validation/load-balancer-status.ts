import { field, parseIp, validateDns1123Subdomain } from "@coxswain/machinery";
import { addInvalid, type Errors, oneOf } from "./checks.ts";
import { validateIp } from "./ip.ts";

interface IngressPoint {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ipMode?: string;
}

/** For Services and Ingresses; only a Service's addresses have a mode. */
export function validateLoadBalancerStatus(points: readonly IngressPoint[], { withMode }: { readonly withMode: boolean }): Errors {
  const out: Errors = [];
  for (const [i, { ip, hostname, ipMode }] of points.entries()) {
    const path = `status.loadBalancer.ingress[${i}]`;
    if (ip) validateIp(out, `${path}.ip`, ip);
    if (withMode) {
      if (ip && ipMode === undefined) out.push(field.required(`${path}.ipMode`, "must be specified when `ip` is set"));
      else if (!ip && ipMode !== undefined) out.push(field.forbidden(`${path}.ipMode`, "may not be specified when `ip` is not set"));
      else oneOf(out, `${path}.ipMode`, ipMode, ["Proxy", "VIP"]);
    }
    if (!hostname) continue;
    addInvalid(out, `${path}.hostname`, hostname, validateDns1123Subdomain(hostname));
    if (parseIp(hostname) !== undefined) out.push(field.invalid(`${path}.hostname`, hostname, "must be a DNS name, not an IP address"));
  }
  return out;
}
