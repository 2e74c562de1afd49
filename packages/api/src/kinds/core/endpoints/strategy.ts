import {
  deepEqual,
  field,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePortNumber,
  validateQualifiedName,
} from "@coxswain/machinery";
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from "@coxswain/types/core-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { ipWarnings } from "../../../validation/address-warnings.ts";
import { addInvalid, type Errors, requiredOneOf } from "../../../validation/checks.ts";
import { validateEndpointIp, validateIp } from "../../../validation/ip.ts";
import { endpointsColumns } from "./columns.ts";

export const endpoints = defineKind<Endpoints>({
  type: "io.k8s.api.core.v1.Endpoints",
  metadataPasses: ["changes", "whole"],
  allowCreateOnUpdate: true,
  defaults(obj) {
    for (const subset of obj.subsets ?? []) for (const port of subset.ports ?? []) port.protocol ||= "TCP";
  },
  validate: ({ subsets = [] }, prev) => {
    const out: Errors = [];
    // What does not change may be as wrong as it was.
    if (prev !== undefined && deepEqual(subsets, prev.subsets ?? [])) return out;
    subsets.forEach((subset, i) => {
      validateSubset(out, `subsets[${i}]`, subset);
    });
    return out;
  },
  warnings,
  columns: endpointsColumns,
});

function validateSubset(out: Errors, path: string, { addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset): void {
  if (addresses.length === 0 && notReadyAddresses.length === 0) {
    out.push(field.required(path, "must specify `addresses` or `notReadyAddresses`"));
  }
  addresses.forEach((address, i) => {
    validateAddress(out, `${path}.addresses[${i}]`, address);
  });
  notReadyAddresses.forEach((address, i) => {
    validateAddress(out, `${path}.notReadyAddresses[${i}]`, address);
  });
  ports.forEach((port, i) => {
    validatePort(out, `${path}.ports[${i}]`, port, ports.length > 1);
  });
}

function validateAddress(out: Errors, path: string, { ip, hostname, nodeName }: EndpointAddress): void {
  validateIp(out, `${path}.ip`, ip);
  if (hostname) addInvalid(out, `${path}.hostname`, hostname, validateDns1123Label(hostname));
  if (nodeName !== undefined) addInvalid(out, `${path}.nodeName`, nodeName, validateDns1123Subdomain(nodeName));
  validateEndpointIp(out, `${path}.ip`, ip);
}

function validatePort(out: Errors, path: string, { name, port, protocol, appProtocol }: EndpointPort, named: boolean): void {
  if (name) addInvalid(out, `${path}.name`, name, validateDns1123Label(name));
  else if (named) out.push(field.required(`${path}.name`));
  addInvalid(out, `${path}.port`, port, validatePortNumber(port));
  requiredOneOf(out, `${path}.protocol`, protocol, ["SCTP", "TCP", "UDP"]);
  if (appProtocol !== undefined) addInvalid(out, `${path}.appProtocol`, appProtocol, validateQualifiedName(appProtocol));
}

function* warnings({ metadata, subsets = [] }: Readonly<Endpoints>): Generator<string> {
  if (metadata?.labels?.["endpoints.kubernetes.io/managed-by"] === "endpoint-controller") return;
  for (const [i, subset] of subsets.entries()) {
    for (const key of ["addresses", "notReadyAddresses"] as const) {
      for (const [j, { ip }] of (subset[key] ?? []).entries()) yield* ipWarnings(`subsets[${i}].${key}[${j}].ip`, ip);
    }
  }
}
