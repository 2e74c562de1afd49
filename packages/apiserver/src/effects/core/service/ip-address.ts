/**
 * The IPAddress of a cluster IP, which says whose it is.
 * @see https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/#ip-address-objects
 */
import type { networkingV1 } from "@coxswain/api";
import { unmanaged, updateManagedFields } from "@coxswain/apply";
import { type Clock, type KubeObject, type RandomSource, zeroOf } from "@coxswain/machinery";
import type { Replacement } from "@coxswain/store";
import { FieldManager, noteManaged } from "../../../registry/field-management.ts";
import { metaOf, prepareNewMeta } from "../../../registry/metadata.ts";
import { systemContext } from "../../../registry/system-context.ts";
import type { ObjectReader } from "../../../storage/object-reader.ts";
import { keyOf } from "../../../storage/served-resource.ts";
import { encodeObject } from "../../../storage/stored-object.ts";
import { ipManagedBy, ipManager } from "./service-ip-allocator.ts";

export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

export interface IpAddressServices extends Pick<ObjectReader, "served" | "cache"> {
  readonly clock: Clock;
  readonly random: RandomSource;
}

export const ipAddressFor = (address: string, { name, namespace }: ServiceName): networkingV1.IPAddress & KubeObject => ({
  kind: "IPAddress",
  apiVersion: "networking.k8s.io/v1",
  metadata: {
    name: address,
    labels: { "ipaddress.kubernetes.io/ip-family": address.includes(":") ? "IPv6" : "IPv4", [ipManagedBy]: ipManager },
  },
  spec: { parentRef: { resource: "services", namespace, name } },
});

/** The server writes as itself, whoever has asked for the Service. */
const writer = { component: "kube-apiserver", user: "system:apiserver", verb: "create" } as const;

/** What a write stores of a new one. Undefined where IPAddresses are not served. */
export function newIpAddress(
  { served, cache, clock, random }: IpAddressServices,
  address: string,
  owner: ServiceName,
): Extract<Replacement, { value: Uint8Array }> | undefined {
  const resource = served.find("networking.k8s.io", "v1", "ipaddresses");
  if (resource === undefined) return undefined;
  const object = ipAddressFor(address, owner);
  const by = new FieldManager({ served, clock }).writeBy(systemContext(random, resource, { ...writer, name: address }));
  const managed = updateManagedFields(zeroOf(resource.type) as KubeObject, object, unmanaged, by);
  prepareNewMeta(metaOf(object), clock.now(), random);
  noteManaged(object, managed);
  const value = encodeObject(object);
  const derived = cache.derivedOf(object, value.byteLength, managed);
  return { key: keyOf(resource, "", address), value, expect: "absent", derived };
}

type Referring = Pick<networkingV1.IPAddress, "spec">;

/** Whether it is that of the Service. */
export const isAddressOf = ({ spec }: Readonly<Referring>, { name, namespace }: ServiceName): boolean =>
  refersToService({ spec }) && spec?.parentRef?.name === name && spec.parentRef.namespace === namespace;

export const refersToService = ({ spec }: Readonly<Referring>): boolean =>
  spec?.parentRef?.resource === "services" && (spec.parentRef.group ?? "") === "";
