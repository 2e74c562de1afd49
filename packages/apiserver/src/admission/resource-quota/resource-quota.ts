/**
 * What is written in a namespace is charged to its quotas: the same write of the store changes the object and the quotas, so that
 * a quota is never exceeded, whoever else writes.
 * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
import { decodeManagedFields, updateManagedFields } from "@coxswain/apply";
import type { Clock, RandomSource } from "@coxswain/machinery";
import type { Replacement, Revision } from "@coxswain/store";
import type { AdmissionPluginFactory } from "../../contracts/admission.ts";
import type { AdmissionPluginConfigurations } from "../../contracts/admission-configuration.ts";
import { FieldManager, noteManaged } from "../../registry/field-management.ts";
import { systemContext } from "../../registry/system-context.ts";
import { followResource } from "../../storage/follow-resource.ts";
import type { ObjectReader } from "../../storage/object-reader.ts";
import { keyOf } from "../../storage/served-resource.ts";
import { encodeObject } from "../../storage/stored-object.ts";
import { type Charge, type ChargeOptions, chargesOf, type Quota } from "./charges.ts";

export interface ResourceQuotaServices extends ObjectReader {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly configuration?: AdmissionPluginConfigurations;
}

const resourceQuotas = { group: "", version: "v1", resource: "resourcequotas" };

export const resourceQuotaAdmission: AdmissionPluginFactory<ResourceQuotaServices> = {
  name: "ResourceQuota",
  create: (services) => {
    const { clock, configuration } = services;
    const limited = configuration?.resourceQuota?.limitedResources ?? [];
    const quotas = new Map<string, Map<string, Quota>>();
    const options = (): ChargeOptions => ({ limited, nowMs: clock.now() });
    const quotasIn = (namespace: string): Quota[] => [...(quotas.get(namespace)?.values() ?? [])].sort(byName);
    return {
      handles: ({ operation, namespace }) =>
        (operation === "create" || operation === "update") && namespace !== "" && (quotas.has(namespace) || limited.length > 0),
      validate: (request) => void chargesOf(request, quotasIn(request.namespace), options()),
      charge: (request) => chargesOf(request, quotasIn(request.namespace), options()).map((charge) => replacement(services, charge)),
      start: () =>
        followResource<Quota>(services, resourceQuotas, ({ namespace, name }, quota) => {
          const known = quotas.get(namespace) ?? new Map<string, Quota>();
          if (quota !== undefined) quotas.set(namespace, known.set(name, quota));
          else if (known.delete(name) && known.size === 0) quotas.delete(namespace);
        }),
    };
  },
};

const byName = (a: Quota, b: Quota): number => ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1);

/** The server writes as itself, whoever has asked for the object. */
const writer = { component: "kube-apiserver", verb: "update", subresource: "status" } as const;

function replacement({ served, cache, clock, random }: ResourceQuotaServices, { quota, used }: Charge): Replacement {
  const resource = served.find("", "v1", "resourcequotas");
  if (resource === undefined) throw new Error("resource quotas are not served");
  const { resourceVersion = "0", ...metadata } = quota.metadata ?? {};
  const { name = "", namespace = "" } = metadata;
  const next = { ...quota, metadata, status: { ...quota.status, used } };
  const by = new FieldManager({ served, clock }).writeBy(systemContext(random, resource, { ...writer, namespace, name }));
  const managed = updateManagedFields(quota, next, decodeManagedFields(metadata.managedFields ?? []), by);
  noteManaged(next, managed);
  const value = encodeObject(next);
  const key = keyOf(resource, namespace, name);
  return { key, value, expect: Number(resourceVersion) as Revision, derived: cache.derivedOf(next, value.byteLength, managed) };
}
