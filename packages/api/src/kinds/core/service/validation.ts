/** The rules for a Service. */
import {
  field,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePortName,
  validatePortNumber,
  validateQualifiedName,
} from "@coxswain/machinery";
import type { Service, ServicePort, ServiceSpec } from "@coxswain/types/core-v1";
import { addInvalid, type Errors, oneOf, requiredOneOf } from "../../../validation/checks.ts";
import { validateCidr, validateEndpointIp, validateIp } from "../../../validation/ip.ts";
import { validateLabels } from "../../../validation/metadata/parts.ts";
import { validateServiceAddresses } from "./cluster-ips.ts";
import { isExternallyAccessible, isHeadless, needsHealthCheckPort, serviceSpecOf } from "./service-type.ts";

type Spec = Readonly<ServiceSpec>;

const hints = "service.kubernetes.io/topology-aware-hints";
const mode = "service.kubernetes.io/topology-mode";
const sourceRanges = "service.beta.kubernetes.io/load-balancer-source-ranges";

export function validateService(obj: Readonly<Service>): Errors {
  const out: Errors = [];
  const spec = serviceSpecOf(obj);
  const annotations = obj.metadata?.annotations ?? {};
  if (annotations[mode] !== undefined && annotations[hints] !== undefined && annotations[mode] !== annotations[hints]) {
    const why = `must match annotations[${hints}] when both are specified`;
    out.push(field.invalid(`metadata.annotations[${mode}]`, annotations[mode], why));
  }
  validateType(out, spec);
  validatePorts(out, spec);
  if (spec.selector !== undefined) validateLabels(out, spec.selector, "spec.selector");
  validateAffinity(out, spec);
  out.push(...validateServiceAddresses(spec));
  for (const [i, ip] of (spec.externalIPs ?? []).entries()) {
    const before = out.length;
    validateIp(out, `spec.externalIPs[${i}]`, ip);
    if (out.length === before) validateEndpointIp(out, `spec.externalIPs[${i}]`, ip);
  }
  requiredOneOf(out, "spec.type", spec.type, ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]);
  validateNodePorts(out, spec);
  validateUniquePorts(out, spec.ports ?? []);
  validateLoadBalancer(out, spec, annotations[sourceRanges]);
  validateTraffic(out, spec);
  return out;
}

function validateType(out: Errors, spec: Spec): void {
  const { type, clusterIPs = [], ipFamilies = [], ipFamilyPolicy, externalName = "" } = spec;
  if ((spec.ports ?? []).length === 0 && !isHeadless(spec) && type !== "ExternalName") out.push(field.required("spec.ports"));
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(spec)) {
    out.push(field.invalid("spec.clusterIPs[0]", clusterIPs[0], `may not be set to 'None' for ${type} services`));
  }
  if (type !== "ExternalName") return;
  const why = "may not be set for ExternalName services";
  if (clusterIPs.length > 0) out.push(field.forbidden("spec.clusterIPs", why));
  if (ipFamilies.length > 0) out.push(field.forbidden("spec.ipFamilies", why));
  if (ipFamilyPolicy !== undefined) out.push(field.forbidden("spec.ipFamilyPolicy", why));
  const name = externalName.replace(/\.$/, "");
  if (name === "") out.push(field.required("spec.externalName"));
  else addInvalid(out, "spec.externalName", name, validateDns1123Subdomain(name));
}

function validatePorts(out: Errors, { ports = [] }: Spec): void {
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    const path = `spec.ports[${i}]`;
    const { name = "", targetPort = 0, appProtocol } = port;
    if (name !== "") {
      addInvalid(out, `${path}.name`, name, validateDns1123Label(name));
      if (names.has(name)) out.push(field.duplicate(`${path}.name`, name));
      names.add(name);
    } else if (ports.length > 1) out.push(field.required(`${path}.name`));
    addInvalid(out, `${path}.port`, port.port, validatePortNumber(port.port));
    requiredOneOf(out, `${path}.protocol`, port.protocol, ["SCTP", "TCP", "UDP"]);
    addInvalid(
      out,
      `${path}.targetPort`,
      targetPort,
      typeof targetPort === "string" ? validatePortName(targetPort) : validatePortNumber(targetPort),
    );
    if (appProtocol !== undefined) addInvalid(out, `${path}.appProtocol`, appProtocol, validateQualifiedName(appProtocol));
  }
}

function validateNodePorts(out: Errors, { type, ports = [] }: Spec): void {
  const seen = new Set<string>();
  for (const [i, { protocol, nodePort }] of ports.entries()) {
    if (!nodePort) continue;
    const path = `spec.ports[${i}].nodePort`;
    if (type === "ClusterIP") out.push(field.forbidden(path, "may not be used when `type` is 'ClusterIP'"));
    if (seen.has(`${protocol}/${nodePort}`)) out.push(field.duplicate(path, nodePort));
    seen.add(`${protocol}/${nodePort}`);
  }
}

function validateUniquePorts(out: Errors, ports: readonly ServicePort[]): void {
  const seen = new Set<string>();
  for (const [i, { protocol, port }] of ports.entries()) {
    const key = `${protocol}/${port}`;
    if (seen.has(key)) out.push(field.duplicate(`spec.ports[${i}]`, shownPort(protocol, port)));
    seen.add(key);
  }
}

/** How Kubernetes shows a port in errors: its own form, with only the key filled in. */
const shownPort = (protocol: string | undefined, port: number) => ({
  Name: "",
  Protocol: protocol,
  AppProtocol: null,
  Port: port,
  TargetPort: 0,
  NodePort: 0,
});

const maxAffinitySeconds = 86400;

function validateAffinity(out: Errors, { sessionAffinity, sessionAffinityConfig: config }: Spec): void {
  const path = "spec.sessionAffinityConfig";
  requiredOneOf(out, "spec.sessionAffinity", sessionAffinity, ["ClientIP", "None"]);
  if (sessionAffinity === "None" && config !== undefined) out.push(field.forbidden(path, "must not be set when session affinity is None"));
  if (sessionAffinity !== "ClientIP") return;
  const why = "when session affinity type is ClientIP";
  const seconds = config?.clientIP?.timeoutSeconds;
  if (config === undefined) out.push(field.required(path, why));
  else if (config.clientIP === undefined) out.push(field.required(`${path}.clientIP`, why));
  else if (seconds === undefined) out.push(field.required(`${path}.clientIP.timeoutSeconds`, why));
  else if (seconds <= 0 || seconds > maxAffinitySeconds) {
    const range = `must be greater than 0 and less than ${maxAffinitySeconds}`;
    out.push(field.invalid(`${path}.clientIP.timeoutSeconds`, seconds, range));
  }
}

function validateLoadBalancer(out: Errors, spec: Spec, ranges: string | undefined): void {
  const { type, loadBalancerSourceRanges = [], allocateLoadBalancerNodePorts, loadBalancerClass } = spec;
  const only = "may only be used when `type` is 'LoadBalancer'";
  const forLoadBalancer = (path: string): void => {
    if (type !== "LoadBalancer") out.push(field.forbidden(path, only));
  };
  if (loadBalancerSourceRanges.length > 0) {
    forLoadBalancer("spec.LoadBalancerSourceRanges");
    for (const [i, cidr] of loadBalancerSourceRanges.entries()) validateCidr(out, `spec.LoadBalancerSourceRanges[${i}]`, cidr.trim());
  } else if (ranges !== undefined) {
    const path = `metadata.annotations[${sourceRanges}]`;
    forLoadBalancer(path);
    if (ranges.trim() !== "") for (const cidr of ranges.split(",")) validateCidr(out, path, cidr.trim());
  }
  if (allocateLoadBalancerNodePorts !== undefined) forLoadBalancer("spec.allocateLoadBalancerNodePorts");
  if (loadBalancerClass === undefined) return;
  forLoadBalancer("spec.loadBalancerClass");
  if (type === "LoadBalancer") addInvalid(out, "spec.loadBalancerClass", loadBalancerClass, validateQualifiedName(loadBalancerClass));
}

function validateTraffic(out: Errors, spec: Spec): void {
  const { externalTrafficPolicy, healthCheckNodePort, internalTrafficPolicy, trafficDistribution, type } = spec;
  const path = "spec.externalTrafficPolicy";
  if (isExternallyAccessible(spec)) requiredOneOf(out, path, externalTrafficPolicy, ["Cluster", "Local"]);
  else if (externalTrafficPolicy) {
    out.push(field.invalid(path, externalTrafficPolicy, "may only be set for externally-accessible services"));
  }
  if (healthCheckNodePort && !needsHealthCheckPort(spec)) {
    const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    out.push(field.invalid("spec.healthCheckNodePort", healthCheckNodePort, why));
  } else if (healthCheckNodePort) addInvalid(out, "spec.healthCheckNodePort", healthCheckNodePort, validatePortNumber(healthCheckNodePort));
  const known = type === "ClusterIP" || type === "NodePort" || type === "LoadBalancer";
  if (internalTrafficPolicy === undefined && known) out.push(field.required("spec.internalTrafficPolicy"));
  oneOf(out, "spec.internalTrafficPolicy", internalTrafficPolicy, ["Cluster", "Local"]);
  oneOf(out, "spec.trafficDistribution", trafficDistribution, ["PreferClose", "PreferSameZone", "PreferSameNode"]);
}
