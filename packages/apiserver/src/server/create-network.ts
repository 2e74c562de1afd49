import type { Clock, RandomSource } from "@coxswain/machinery";
import type { KubeletOptions } from "../contracts/kubelet-options.ts";
import type { ServiceRouting } from "../contracts/service-routing.ts";
import { Kubelets } from "../kubelets/kubelets.ts";
import { PodAddresses } from "../kubelets/pod-addresses.ts";
import { endpointRoute } from "../kubelets/pod-route.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import type { Endpoint } from "../webhooks/client-config.ts";
import { serviceResolver } from "../webhooks/resolve-service.ts";
import { Webhooks } from "../webhooks/webhooks.ts";
import type { OwnAddress } from "./own-address.ts";
import type { NetworkServices } from "./services.ts";

/** How the server reaches what is behind it. */
export interface ServerNetwork {
  /** How to reach the nodes' kubelets, for logs, commands and proxies. Without it there are none. */
  readonly kubelets?: KubeletOptions | undefined;
  /** Where the Services of webhooks and APIServices are reached. Default: wherever something answers without rules of Services. */
  readonly serviceRouting?: ServiceRouting | undefined;
}

export interface NetworkOptions extends ServerNetwork {
  readonly reader: ObjectReader;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly ownAddress: OwnAddress;
}

export function createNetwork({ reader, clock, random, ownAddress, ...options }: NetworkOptions): NetworkServices {
  const { serviceRouting: routing = "reachable" } = options;
  const kubelets = options.kubelets === undefined ? undefined : new Kubelets(options.kubelets, clock);
  const podAddresses = new PodAddresses(reader);
  const dial = async (endpoint: Endpoint, signal: AbortSignal | undefined) => {
    const route = await endpointRoute({ ...reader, podAddresses }, endpoint);
    if (route !== undefined && kubelets === undefined) throw new Error(`node "${route.node}" has no kubelet that can be reached`);
    return route === undefined ? undefined : await kubelets?.dial(route, signal);
  };
  const resolve = serviceResolver({ reader, random, routing, ownAddress: () => ownAddress.current });
  const webhooks = new Webhooks({ clock, dial, resolve });
  return { kubelets, podAddresses, webhooks, services: { resolve, dial, loopback: options.kubelets?.loopback ?? false } };
}
