/**
 * Cluster IPs and node ports: each Service gets its own, and none is given twice, by whichever server. What it takes or frees is stored
 * with it.
 */
import type { KubeObject } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import { allocateAddresses } from "../effects/core/service/allocate-addresses.ts";
import { type AllocatorServices, ServiceAllocators, type ServiceChange } from "../effects/core/service/service-allocators.ts";
import { cloneJson } from "../storage/clone-json.ts";

export const serviceAddresses: AdmissionPluginFactory<AllocatorServices> = {
  name: "ServiceAddresses",
  create: (services) => {
    let loading: Promise<ServiceAllocators> | undefined;
    let allocators: ServiceAllocators | undefined;
    const load = async (): Promise<ServiceAllocators> => {
      loading ??= ServiceAllocators.load(services).catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      allocators = await loading;
      return allocators;
    };
    return {
      handles: ({ resource, subresource }) =>
        subresource === "" && resource.definition.group === "" && resource.definition.kind === "Service",
      async reserve(request) {
        const loaded = allocators ?? (await load());
        return request.operation === "delete" ? undefined : await allocateFresh(services.store, loaded, request);
      },
      charge: (request) => allocators?.changesOf(changeOf(request)) ?? [],
    };
  },
};

/** What this server does not know yet may have freed what is asked for: nothing is refused before it is known. */
async function allocateFresh(store: Store, allocators: ServiceAllocators, request: AdmissionRequest): Promise<Disposable> {
  const { object } = request;
  if (store.freshen === undefined || object === undefined) return allocateAddresses(allocators, request);
  const before = cloneJson(object);
  try {
    return allocateAddresses(allocators, request);
  } catch {
    await store.freshen();
    Object.assign(object, { spec: (before as KubeObject & { spec?: unknown }).spec });
    return allocateAddresses(allocators, request);
  }
}

function changeOf({ operation, resource, namespace, name, object, previous }: AdmissionRequest): ServiceChange {
  const own = object?.metadata?.name ?? name;
  return {
    ...{ namespace, name: own, key: `${resource.prefix}${namespace}/${own}` },
    before: operation === "create" ? undefined : previous,
    after: operation === "delete" ? undefined : object,
  };
}
