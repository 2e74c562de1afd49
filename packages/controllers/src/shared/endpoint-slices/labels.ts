/** The labels of an EndpointSlice: those of its Service, and whose it is. */
import { deepEqual } from "@coxswain/machinery";
import type { Service } from "../service-pods/membership.ts";
import { hasClusterIp } from "./desired-endpoints.ts";

export const serviceNameLabel = "kubernetes.io/service-name";
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const headlessLabel = "service.kubernetes.io/headless";

/** This controller, to whoever makes EndpointSlices too. */
export const managerName = "endpointslice-controller.k8s.io";

type Labels = Readonly<Record<string, string>>;

export function sliceLabels({ metadata, spec }: Service): Labels {
  return {
    ...withoutReserved(metadata?.labels),
    ...(hasClusterIp(spec) ? {} : { [headlessLabel]: "" }),
    [serviceNameLabel]: metadata?.name ?? "",
    [managedByLabel]: managerName,
  };
}

/** Those that are the controller's own do not count: an old slice is not rewritten for them. */
export const areLabelsOf = (service: Service, labels: Labels | undefined): boolean =>
  deepEqual(withoutReserved(labels), withoutReserved(service.metadata?.labels));

const reserved: readonly string[] = [serviceNameLabel, managedByLabel, headlessLabel];

const withoutReserved = (labels: Labels | undefined): Labels =>
  Object.fromEntries(Object.entries(labels ?? {}).filter(([key]) => !reserved.includes(key)));
