/** Reserves cluster IPs and node ports: each Service gets its own, and none is given twice. */
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import { allocateAddresses } from "../effects/core/service/allocate-addresses.ts";
import { type AllocatorServices, ServiceAllocators } from "../effects/core/service/service-allocators.ts";

export const serviceAddresses: AdmissionPluginFactory<AllocatorServices> = {
  name: "ServiceAddresses",
  create: (services) => {
    let allocators: Promise<ServiceAllocators> | undefined;
    return {
      handles: ({ operation, resource, subresource }) =>
        operation !== "delete" && subresource === "" && resource.definition.group === "" && resource.definition.kind === "Service",
      async reserve(request) {
        allocators ??= ServiceAllocators.load(services).catch((error: unknown) => {
          allocators = undefined;
          throw error;
        });
        return allocateAddresses(await allocators, request);
      },
    };
  },
};
