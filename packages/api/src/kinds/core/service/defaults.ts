/** What a Service gets when it says nothing, and keeps when an update says nothing. All in place. */
import { deepEqual } from "@coxswain/machinery";
import type { Service, ServiceSpec } from "@coxswain/types/core-v1";
import {
  getsNodePort,
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePort,
  serviceSpecOf,
} from "./service-type.ts";

const affinitySeconds = 10800;

export function defaultService(obj: Service): void {
  obj.spec ??= {};
  const { spec } = obj;
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP" && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySeconds } };
  }
  spec.type ||= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    port.targetPort ||= port.port;
  }
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ||= "Cluster";
  if (spec.type !== "ExternalName" && (needsNodePort(spec) || spec.type === "ClusterIP")) spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type !== "LoadBalancer") return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const point of obj.status?.loadBalancer?.ingress ?? []) if (point.ip) point.ipMode ??= "VIP";
}

export function prepareNewService(obj: Service): void {
  obj.status = { loadBalancer: {} };
  const { spec } = obj;
  if (spec === undefined) return;
  if (spec.clusterIP && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP];
  dropInternalTrafficPolicy(spec);
}

export function prepareServiceUpdate(next: Service, prev: Readonly<Service>): void {
  next.spec ??= {};
  const { spec } = next;
  const old = serviceSpecOf(prev);
  keepAllocated(spec, old);
  syncClusterIps(spec, old);
  dropWhatTheTypeLost(spec, old);
  dropInternalTrafficPolicy(spec);
  if (spec.type !== "LoadBalancer") next.status = { ...next.status, loadBalancer: {} };
}

/** It has no effect for an external name. What is no policy at all is left for the rules to refuse. */
function dropInternalTrafficPolicy(spec: ServiceSpec): void {
  if (spec.type !== "ExternalName") return;
  if (spec.internalTrafficPolicy === "Cluster" || spec.internalTrafficPolicy === "Local") delete spec.internalTrafficPolicy;
}

type Old = Readonly<ServiceSpec>;

/** A client that leaves out what the server handed out means to keep it. */
function keepAllocated(spec: ServiceSpec, old: Old): void {
  if (needsClusterIp(old) && needsClusterIp(spec)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if ((spec.clusterIPs ?? []).length === 0 && old.clusterIPs?.length) spec.clusterIPs = [...old.clusterIPs];
  }
  if (getsNodePort(old) && getsNodePort(spec)) keepNodePorts(spec, old);
  if (needsHealthCheckPort(old) && needsHealthCheckPort(spec) && old.healthCheckNodePort) {
    spec.healthCheckNodePort ||= old.healthCheckNodePort;
  }
}

/** Ports are known by their names; a node port that moved to another port is not given back. */
function keepNodePorts(spec: ServiceSpec, old: Old): void {
  const now = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort));
  const byName = new Map((old.ports ?? []).map(({ name = "", nodePort }) => [name, nodePort]));
  for (const port of spec.ports ?? []) {
    const before = byName.get(port.name ?? "");
    if (!port.nodePort && before && !now.has(before)) port.nodePort = before;
  }
}

/** `clusterIP` and the first of `clusterIPs` are one; old clients only know the first. */
function syncClusterIps(spec: ServiceSpec, old: Old): void {
  const isSame = (spec.clusterIP ?? "") === (old.clusterIP ?? "");
  if (isSame && old.clusterIPs?.length && !spec.clusterIPs?.length) spec.clusterIPs = [...old.clusterIPs];
  if (isSame || !deepEqual(spec.clusterIPs ?? [], old.clusterIPs ?? [])) return;
  if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
  else delete spec.clusterIPs;
}

/** When the type changes, settings that no longer apply go, unless the client has just changed them. */
function dropWhatTheTypeLost(spec: ServiceSpec, old: Old): void {
  const unchanged = (key: keyof ServiceSpec): boolean => deepEqual(spec[key], old[key]);
  if (needsClusterIp(old) && !needsClusterIp(spec)) {
    if (unchanged("clusterIP") && unchanged("clusterIPs")) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (unchanged("ipFamilies")) delete spec.ipFamilies;
    if (unchanged("ipFamilyPolicy")) delete spec.ipFamilyPolicy;
  }
  if (needsNodePort(old) && !needsNodePort(spec)) {
    const before = new Set((old.ports ?? []).map(({ nodePort }) => nodePort));
    if ((spec.ports ?? []).every(({ nodePort }) => !nodePort || before.has(nodePort)))
      for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(spec) && unchanged("healthCheckNodePort")) delete spec.healthCheckNodePort;
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    if (unchanged("allocateLoadBalancerNodePorts")) delete spec.allocateLoadBalancerNodePorts;
    if (unchanged("loadBalancerClass")) delete spec.loadBalancerClass;
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec) && unchanged("externalTrafficPolicy")) delete spec.externalTrafficPolicy;
}
