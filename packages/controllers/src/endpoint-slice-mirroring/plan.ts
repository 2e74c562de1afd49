/** EndpointSlices that say what Endpoints written by users say. */
import type { coreV1 } from "@coxswain/api";
import { endpoints as endpointsRef } from "@coxswain/client";
import { apiVersionOf, deepEqual, formatIp, parseIp } from "@coxswain/machinery";
import type { Endpoint, EndpointPort } from "../shared/endpoint-slices/desired-endpoints.ts";
import { portsKey, printPort } from "../shared/endpoint-slices/desired-endpoints.ts";
import { managedByLabel, serviceNameLabel } from "../shared/endpoint-slices/labels.ts";
import { type EndpointSlice, endpointKey, saysTheSame } from "../shared/endpoint-slices/pack.ts";
import { repacked, type Subset } from "../shared/endpoint-slices/subsets.ts";
import { inGoOrder } from "../shared/service-pods/go-order.ts";
import { triggerTimeAnnotation } from "../shared/service-pods/trigger-times.ts";

type Endpoints = coreV1.Endpoints;

/** This controller, to whoever makes EndpointSlices too. */
export const mirrorName = "endpointslicemirroring-controller.k8s.io";

/** So many of each subset; the rest is not mirrored. */
export const maxPerSubset = 1000;

export interface MirrorPlan {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly delete: readonly EndpointSlice[];
  /** Addresses that are none, and all that are left out. */
  readonly invalid: number;
  readonly skipped: number;
}

export interface ObservedMirror {
  /** Undefined when there is nothing to mirror. */
  readonly endpoints: Endpoints | undefined;
  /** Those that mirror these Endpoints now. */
  readonly slices: readonly EndpointSlice[];
}

export const plan = ({ endpoints, slices }: ObservedMirror): MirrorPlan =>
  endpoints === undefined ? { create: [], update: [], delete: slices, invalid: 0, skipped: 0 } : planMirror(endpoints, slices);

/** `slices` are those of this controller and these Endpoints. */
export function planMirror(endpoints: Endpoints, slices: readonly EndpointSlice[]): MirrorPlan {
  const { groups, invalid, skipped } = desired(endpoints.subsets ?? []);
  const create: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  const surplus = slices.filter((slice) => !groups.has(groupKey(slice.addressType, slice.ports ?? [])));
  for (const [key, group] of groups) {
    const [first, ...others] = slices.filter((slice) => groupKey(slice.addressType, slice.ports ?? []) === key);
    if (group.endpoints.length === 0) surplus.push(...(first === undefined ? [] : [first]), ...others);
    else if (first === undefined) create.push(newSlice(endpoints, group));
    else {
      surplus.push(...others);
      if (!mirrors(first, endpoints, group)) update.push(inPlaceOf(first, newSlice(endpoints, group)));
    }
  }
  // What would go becomes what is missing, where it can.
  const rest: EndpointSlice[] = [];
  for (const slice of surplus) {
    const at = create.findIndex(({ addressType }) => addressType === slice.addressType);
    const [next] = at < 0 ? [] : create.splice(at, 1);
    if (next === undefined) rest.push(slice);
    else update.push(inPlaceOf(slice, next));
  }
  return { create, update, delete: rest, invalid, skipped };
}

interface Group {
  readonly addressType: string;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

function desired(subsets: readonly Subset[]): { readonly groups: Map<string, Group>; readonly invalid: number; readonly skipped: number } {
  const groups = new Map<string, Group & { endpoints: Endpoint[] }>();
  let invalid = 0;
  let skipped = 0;
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of repacked(subsets)) {
    const own = inGoOrder(
      ports.map(({ name = "", port, protocol = "TCP", appProtocol }) => ({ name, port, protocol, ...(appProtocol && { appProtocol }) })),
      printPort,
    );
    const all = [
      ...addresses.map((address) => ({ address, ready: true })),
      ...notReadyAddresses.map((address) => ({ address, ready: false })),
    ];
    let added = 0;
    for (const { address, ready } of all) {
      if (added === maxPerSubset) break;
      const endpoint = endpointOf(address, ready);
      if (endpoint === undefined) {
        invalid++;
        continue;
      }
      const addressType = `IPv${parseIp(address.ip)?.family}`;
      const key = groupKey(addressType, own);
      const group = groups.get(key) ?? { addressType, ports: own, endpoints: [] };
      groups.set(key, group);
      group.endpoints.push(endpoint);
      added++;
    }
    skipped += all.length - added;
  }
  return { groups, invalid, skipped };
}

function endpointOf({ ip, hostname, nodeName, targetRef }: coreV1.EndpointAddress, ready: boolean): Endpoint | undefined {
  const parsed = parseIp(ip);
  if (parsed === undefined) return undefined;
  return {
    addresses: [formatIp(parsed)],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(nodeName !== undefined && { nodeName }),
    ...(targetRef && { targetRef }),
  };
}

const groupKey = (addressType: string, ports: readonly EndpointPort[]): string => `${addressType} ${portsKey(ports)}`;

/** Whether a slice says all this already. */
function mirrors(slice: EndpointSlice, endpoints: Endpoints, group: Group): boolean {
  const { labels, annotations, ownerReferences } = newSlice(endpoints, group).metadata ?? {};
  const has = slice.metadata ?? {};
  const isOwned =
    has.ownerReferences?.every((owner) => owner.kind !== endpointsRef.kind || owner.uid === ownerReferences?.[0]?.uid) ?? true;
  if (!isOwned || !deepEqual(has.labels, labels) || !deepEqual(has.annotations ?? {}, annotations)) return false;
  const existing = new Map((slice.endpoints ?? []).map((endpoint) => [endpointKey(endpoint), endpoint]));
  if (existing.size !== group.endpoints.length) return false;
  return group.endpoints.every((endpoint) => {
    const known = existing.get(endpointKey(endpoint));
    return known !== undefined && saysTheSame(known, endpoint);
  });
}

function newSlice({ metadata }: Endpoints, { addressType, ports, endpoints }: Group): EndpointSlice {
  const { name = "", namespace = "", uid = "", labels, annotations = {} } = metadata ?? {};
  const { [triggerTimeAnnotation]: _, "kubectl.kubernetes.io/last-applied-configuration": __, ...kept } = annotations;
  const owner = { apiVersion: apiVersionOf(endpointsRef), kind: endpointsRef.kind, name, uid, controller: true, blockOwnerDeletion: true };
  return {
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: mirrorName },
      annotations: kept,
      ownerReferences: [owner],
    },
    addressType,
    ports: [...ports],
    endpoints: [...endpoints],
  };
}

function inPlaceOf({ metadata }: EndpointSlice, { metadata: { generateName: _, ...next } = {}, ...slice }: EndpointSlice): EndpointSlice {
  const { name = "", uid = "", resourceVersion = "" } = metadata ?? {};
  return { ...slice, metadata: { ...next, name, uid, resourceVersion } };
}
