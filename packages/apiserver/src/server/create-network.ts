import type { Clock, RandomSource } from "@coxswain/machinery";
import type { KubeletOptions } from "../contracts/kubelet-options.ts";
import { Kubelets } from "../kubelets/kubelets.ts";
import { PodAddresses } from "../kubelets/pod-addresses.ts";
import { endpointRoute } from "../kubelets/pod-route.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import type { Endpoint, ServiceResolver } from "../webhooks/client-config.ts";
import { resolveService } from "../webhooks/resolve-service.ts";
import { Webhooks } from "../webhooks/webhooks.ts";
import type { NetworkServices } from "./services.ts";

export interface NetworkOptions {
  readonly reader: ObjectReader;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** How to reach the nodes' kubelets. Without it there are none. */
  readonly kubelets: KubeletOptions | undefined;
}

export function createNetwork({ reader, clock, random, kubelets: options }: NetworkOptions): NetworkServices {
  const kubelets = options === undefined ? undefined : new Kubelets(options, clock);
  const podAddresses = new PodAddresses(reader);
  const dial = async (endpoint: Endpoint, signal: AbortSignal | undefined) => {
    const route = await endpointRoute({ ...reader, podAddresses }, endpoint);
    if (route !== undefined && kubelets === undefined) throw new Error(`node "${route.node}" has no kubelet that can be reached`);
    return route === undefined ? undefined : await kubelets?.dial(route, signal);
  };
  const resolve: ServiceResolver = (...to) => resolveService({ ...reader, random }, ...to);
  const webhooks = new Webhooks({ clock, dial, resolve });
  return { kubelets, podAddresses, webhooks, services: { resolve, dial, loopback: options?.loopback ?? false } };
}
