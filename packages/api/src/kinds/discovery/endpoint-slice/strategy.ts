import { deepEqual, field, validateDns1123Label, validateQualifiedName } from "@coxswain/machinery";
import type { Endpoint, EndpointPort, EndpointSlice } from "@coxswain/types/discovery-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { ipWarnings } from "../../../validation/address-warnings.ts";
import { addInvalid, type Errors, oneOf, requiredOneOf } from "../../../validation/checks.ts";
import { endpointSliceColumns } from "./columns.ts";
import { validateEndpoint } from "./validation.ts";

const maxEndpoints = 1000;
const maxPorts = 20_000;
const managedBy = "endpointslice.kubernetes.io/managed-by";
/** Kubernetes' own controllers write addresses well. */
const trustedManagers = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];

/** @see https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/ */
export const endpointSlice = defineKind<EndpointSlice>({
  type: "io.k8s.api.discovery.v1.EndpointSlice",
  metadataPasses: ["whole"],
  /** Everything but metadata counts, and the labels. */
  generation: (next, prev) => {
    const { metadata: after, ...content } = next;
    const { metadata: before, ...old } = prev;
    return !deepEqual(content, old) || !deepEqual(after?.labels ?? {}, before?.labels ?? {});
  },
  defaults(obj) {
    for (const port of obj.ports ?? []) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  prepareForCreate: (obj) => dropTopology(obj.endpoints ?? []),
  prepareForUpdate(next, prev) {
    if (!deepEqual(next.endpoints, prev.endpoints)) dropTopology(next.endpoints ?? []);
  },
  validate: (obj, prev) => {
    const out: Errors = [];
    const { addressType } = obj;
    const [ports, endpoints] = [obj.ports ?? [], obj.endpoints ?? []];
    requiredOneOf(out, "addressType", addressType, ["FQDN", "IPv4", "IPv6"]);
    if (ports.length > maxPorts) out.push(field.tooMany("ports", ports.length, maxPorts));
    else validatePorts(out, "ports", ports);
    // What does not change may be as wrong as it was.
    if (prev !== undefined && deepEqual(endpoints, prev.endpoints ?? [])) return out;
    if (endpoints.length > maxEndpoints) out.push(field.tooMany("endpoints", endpoints.length, maxEndpoints));
    else for (const [i, endpoint] of endpoints.entries()) validateEndpoint(out, `endpoints[${i}]`, endpoint, addressType);
    return out;
  },
  validateUpdate: (next, prev) =>
    next.addressType === prev.addressType ? [] : [field.invalid("addressType", next.addressType, "field is immutable")],
  *warnings(next, prev) {
    if (prev === undefined && next.addressType === "FQDN") yield "spec.addressType: FQDN endpoints are deprecated";
    if (trustedManagers.includes(next.metadata?.labels?.[managedBy] ?? "")) return;
    for (const [i, { addresses }] of (next.endpoints ?? []).entries()) {
      for (const [j, address] of (addresses ?? []).entries()) yield* ipWarnings(`endpoints[${i}].addresses[${j}]`, address);
    }
  },
  columns: endpointSliceColumns,
});

/** The beta version's free-form topology may only be kept, not written. */
function dropTopology(endpoints: readonly Endpoint[]): void {
  for (const endpoint of endpoints) delete endpoint.deprecatedTopology;
}

function validatePorts(out: Errors, path: string, ports: readonly EndpointPort[]): void {
  const names = new Set<string>();
  for (const [i, { name = "", protocol, appProtocol }] of ports.entries()) {
    const at = `${path}[${i}]`;
    if (name !== "") addInvalid(out, `${at}.name`, name, validateDns1123Label(name));
    if (names.has(name)) out.push(field.duplicate(`${at}.name`, name));
    names.add(name);
    if (protocol === undefined) out.push(field.required(`${at}.protocol`));
    oneOf(out, `${at}.protocol`, protocol, ["SCTP", "TCP", "UDP"]);
    if (appProtocol !== undefined) addInvalid(out, `${at}.appProtocol`, appProtocol, validateQualifiedName(appProtocol));
  }
}
