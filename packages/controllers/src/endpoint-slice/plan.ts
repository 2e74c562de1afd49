/** Which EndpointSlices of a Service to create, update and delete. */

import { services } from "@coxswain/client";
import { apiVersionOf, deepEqual } from "@coxswain/machinery";
import {
  type AddressType,
  addressTypesOf,
  desiredGroups,
  type EndpointPort,
  type PortGroup,
  portsKey,
  type ServiceWithPods,
} from "../shared/endpoint-slices/desired-endpoints.ts";
import { areLabelsOf, sliceLabels } from "../shared/endpoint-slices/labels.ts";
import { type EndpointSlice, pack, type SlicesByAction } from "../shared/endpoint-slices/pack.ts";
import type { Service } from "../shared/service-pods/membership.ts";

/** Those of address types that the Service does not have, to be deleted, and those of each that it has. */
export interface SlicesPlan {
  readonly foreign: readonly EndpointSlice[];
  readonly byType: readonly { readonly addressType: AddressType; readonly slices: SlicesByAction }[];
}

export interface ObservedService extends ServiceWithPods {
  /** When the change happened that the slices answer to; undefined when no object says. */
  readonly time: string | undefined;
  /** Those with the labels of the Service and of the controller, whoever owns them. */
  readonly slices: readonly EndpointSlice[];
  /** The share of each zone in the CPUs of all Nodes; undefined when the Service wants no hints, or a Node lacks its zone. */
  readonly shares: ReadonlyMap<string, number> | undefined;
}

export function plan(observed: Pick<ObservedService, keyof ServiceWithPods | "slices">): SlicesPlan {
  const { slices } = observed;
  const types = addressTypesOf(observed.service);
  return {
    foreign: slices.filter(({ addressType }) => !types.some((type) => type === addressType)),
    byType: types.map((addressType) => {
      const existing = slices.filter((slice) => slice.addressType === addressType);
      return { addressType, slices: planType(observed, existing, addressType) };
    }),
  };
}

function planType(observed: ServiceWithPods, existing: readonly EndpointSlice[], addressType: AddressType): SlicesByAction {
  const { service } = observed;
  const owned = existing.filter((slice) => isOwnedBy(slice, service));
  const groups = desiredGroups(observed, addressType);
  const packed = [...groups].map(([key, group]) =>
    packGroup(
      service,
      addressType,
      group,
      owned.filter(({ ports }) => portsKey(ports) === key),
    ),
  );
  const unwanted = [
    ...existing.filter((slice) => !owned.includes(slice)),
    ...owned.filter(({ ports }) => !groups.has(portsKey(ports))),
    ...packed.flatMap((one) => one.delete),
  ];
  const create = packed.flatMap((one) => one.create);
  const update = packed.flatMap((one) => one.update);
  const keep = packed.flatMap((one) => one.keep);
  if (unwanted.length === existing.length && create.length === 0) {
    const placeholder = newSlice(service, addressType, []);
    const [only] = unwanted;
    // Of a Service without Pods there is one slice that says so.
    if (unwanted.length === 1 && only !== undefined && isSamePlaceholder(only, placeholder))
      return { create, update, keep: [only], delete: [] };
    create.push(placeholder);
  }
  return reuse(service, { create, update, keep, delete: unwanted });
}

const packGroup = (service: Service, addressType: AddressType, { ports, endpoints }: PortGroup, slices: readonly EndpointSlice[]) =>
  pack({
    slices,
    desired: endpoints,
    newSlice: () => newSlice(service, addressType, ports),
    relabelled: (slice) =>
      areLabelsOf(service, slice.metadata?.labels)
        ? undefined
        : { ...slice, metadata: { ...slice.metadata, labels: { ...sliceLabels(service) } } },
  });

/** What would be deleted becomes what would be created, as long as it is the Service's own: others are the garbage collector's. */
function reuse(service: Service, { create, update, keep, delete: unwanted }: SlicesByAction): SlicesByAction {
  const fresh = [...create];
  const reused: EndpointSlice[] = [];
  const rest: EndpointSlice[] = [];
  for (const slice of unwanted) {
    const next = isOwnedBy(slice, service) ? fresh.pop() : undefined;
    if (next === undefined) rest.push(slice);
    else reused.push(inPlaceOf(slice, next));
  }
  return { create: fresh, update: [...update, ...reused], keep, delete: rest };
}

function inPlaceOf({ metadata }: EndpointSlice, next: EndpointSlice): EndpointSlice {
  const { name = "", uid = "", resourceVersion = "" } = metadata ?? {};
  return { ...next, metadata: { ...next.metadata, name, uid, resourceVersion } };
}

function newSlice(service: Service, addressType: AddressType, ports: readonly EndpointPort[]): EndpointSlice {
  const { name = "", namespace = "", uid = "" } = service.metadata ?? {};
  const owner = { apiVersion: apiVersionOf(services), kind: services.kind, name, uid, controller: true, blockOwnerDeletion: true };
  return {
    metadata: { generateName: `${name}-`, namespace, labels: { ...sliceLabels(service) }, ownerReferences: [owner] },
    addressType,
    ports: [...ports],
    endpoints: [],
  };
}

const isOwnedBy = ({ metadata }: EndpointSlice, service: Service): boolean =>
  metadata?.ownerReferences?.some(
    ({ uid, kind, apiVersion }) => uid === service.metadata?.uid && kind === services.kind && apiVersion === apiVersionOf(services),
  ) ?? false;

const isSamePlaceholder = (slice: EndpointSlice, placeholder: EndpointSlice): boolean =>
  (slice.ports ?? []).length === 0 &&
  (slice.endpoints ?? []).length === 0 &&
  deepEqual(slice.metadata?.labels, placeholder.metadata?.labels) &&
  deepEqual(slice.metadata?.ownerReferences, placeholder.metadata?.ownerReferences);
