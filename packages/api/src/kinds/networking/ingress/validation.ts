/** The rules for an Ingress. */
import {
  field,
  parseIp,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePortName,
  validatePortNumber,
  validateWildcardDns1123Subdomain,
} from "@coxswain/machinery";
import type { TypedLocalObjectReference } from "@coxswain/types/core-v1";
import type {
  HTTPIngressPath,
  HTTPIngressRuleValue,
  IngressBackend,
  IngressServiceBackend,
  IngressSpec,
} from "@coxswain/types/networking-v1";
import { addInvalid, type Errors, isSet, requiredPathSegment } from "../../../validation/checks.ts";
import { ratchet } from "../../../validation/ratcheting.ts";

export function validateIngressSpec(spec: Readonly<IngressSpec>): Errors {
  const out: Errors = [];
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec;
  if (rules.length === 0 && defaultBackend === undefined) {
    out.push(field.invalid("spec", spec.rules ?? null, "either `defaultBackend` or `rules` must be specified"));
  }
  if (defaultBackend !== undefined) validateBackend(out, "spec.defaultBackend", defaultBackend);
  for (const [i, { host = "", http }] of rules.entries()) {
    const path = `spec.rules[${i}]`;
    if (parseIp(host) !== undefined) out.push(field.invalid(`${path}.host`, host, "must be a DNS name, not an IP address"));
    if (host !== "") validateHost(out, `${path}.host`, host);
    if (host.includes("*")) ratchet(out, "wildcard hosts", () => validateHttp(out, `${path}.http`, http));
    else validateHttp(out, `${path}.http`, http);
  }
  for (const [i, { hosts = [], secretName }] of tls.entries()) {
    for (const [j, host] of hosts.entries()) validateHost(out, `spec.tls[${i}].hosts[${j}]`, host);
    const at = `spec.tls[${i}].secretName`;
    if (secretName) ratchet(out, "secret names", () => addInvalid(out, at, secretName, validateDns1123Subdomain(secretName)));
  }
  if (ingressClassName !== undefined)
    addInvalid(out, "spec.ingressClassName", ingressClassName, validateDns1123Subdomain(ingressClassName));
  return out;
}

const validateHost = (out: Errors, path: string, host: string): void =>
  addInvalid(out, path, host, host.includes("*") ? validateWildcardDns1123Subdomain(host) : validateDns1123Subdomain(host));

function validateHttp(out: Errors, path: string, http: Readonly<HTTPIngressRuleValue> | undefined): void {
  if (http === undefined) return;
  const paths = http.paths ?? [];
  if (paths.length === 0) out.push(field.required(`${path}.paths`));
  for (const [i, item] of paths.entries()) validatePath(out, `${path}.paths[${i}]`, item);
}

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];
const badSequences = ["//", "/./", "/../", "%2f", "%2F"];
const badEnds = ["/..", "/."];

function validatePath(out: Errors, at: string, { path = "", pathType, backend }: HTTPIngressPath): void {
  // An absent pointer is null where Go always writes it.
  if (!isSet(pathType)) return void out.push(field.required(`${at}.pathType`, "pathType must be specified"));
  if (!pathTypes.includes(pathType)) out.push(field.notSupported(`${at}.pathType`, pathType, pathTypes));
  else if (!path.startsWith("/") && (path !== "" || pathType !== "ImplementationSpecific")) {
    out.push(field.invalid(`${at}.path`, path, "must be an absolute path"));
  }
  if (pathType === "Exact" || pathType === "Prefix") {
    for (const bad of badSequences) if (path.includes(bad)) out.push(field.invalid(`${at}.path`, path, `must not contain '${bad}'`));
    for (const bad of badEnds) if (path.endsWith(bad)) out.push(field.invalid(`${at}.path`, path, `cannot end with '${bad}'`));
  }
  validateBackend(out, `${at}.backend`, backend ?? {});
}

function validateBackend(out: Errors, path: string, { resource, service }: IngressBackend): void {
  if (resource !== undefined && service !== undefined) out.push(field.invalid(path, "", "cannot set both resource and service backends"));
  else if (resource !== undefined) validateResource(out, `${path}.resource`, resource);
  else if (service !== undefined) validateService(out, path, service);
  else out.push(field.invalid(path, "", "resource or service backend is required"));
}

function validateResource(out: Errors, path: string, { apiGroup, kind, name }: TypedLocalObjectReference): void {
  if (isSet(apiGroup)) addInvalid(out, `${path}.apiGroup`, apiGroup, validateDns1123Subdomain(apiGroup));
  requiredPathSegment(out, `${path}.kind`, kind);
  requiredPathSegment(out, `${path}.name`, name);
}

function validateService(out: Errors, path: string, { name, port: { name: portName = "", number = 0 } = {} }: IngressServiceBackend): void {
  if (!name) out.push(field.required(`${path}.service.name`));
  else addInvalid(out, `${path}.service.name`, name, validateDns1123Label(name));
  if (portName !== "" && number !== 0) out.push(field.invalid(path, "", "cannot set both port name & port number"));
  else if (portName !== "") addInvalid(out, `${path}.service.port.name`, portName, validatePortName(portName));
  else if (number !== 0) addInvalid(out, `${path}.service.port.number`, number, validatePortNumber(number));
  else out.push(field.required(path, "port name or number is required"));
}
