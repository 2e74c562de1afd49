/** What the server does by itself while it runs. */
import type { AddressInfo } from "node:net";
import type { PortRange } from "../configuration/port-range.ts";
import type { ServiceIpRanges } from "../configuration/service-ip-ranges.ts";
import { ApiServices } from "../controlplane/api-services.ts";
import { DefaultServiceCidr } from "../controlplane/default-service-cidr.ts";
import { FlowControlObjects } from "../controlplane/flow-control-objects.ts";
import { FlowSchemaStatus } from "../controlplane/flow-schema-status.ts";
import { IdentityLease } from "../controlplane/identity-lease.ts";
import { KubernetesService } from "../controlplane/kubernetes-service.ts";
import { ObjectKeeper } from "../controlplane/object-keeper.ts";
import { ServiceIpAddresses } from "../controlplane/service-ip-addresses.ts";
import { ServiceNodePorts } from "../controlplane/service-node-ports.ts";
import { EventExpiry } from "../effects/core/event/event-expiry.ts";
import type { ResourceServer } from "./services.ts";

export interface ControlLoops extends Disposable {
  /** The server has an address at which it can be reached; `advertised` goes before that of its port. */
  listening(port: AddressInfo["port"], advertised: string | undefined): void;
  /** Nobody is to be led to the server any more. */
  leaveService(): Promise<void>;
  /** Resolves once nothing is written any more; what only observes is left until it is disposed of. */
  stop(): Promise<void>;
}

export interface ControlLoopsOptions {
  readonly serviceIpRanges: ServiceIpRanges;
  readonly serviceNodePorts: PortRange;
  /** Of the machine; undefined where the server has no Lease of its own. */
  readonly hostname?: string | undefined;
}

/** Of a server for which another one does it. */
export const noControlLoops: ControlLoops = {
  listening: () => undefined,
  leaveService: async () => undefined,
  stop: async () => undefined,
  [Symbol.dispose]: () => undefined,
};

export async function startControlLoops(
  { system: { clock, random, log }, storage, objects: { registry, responses, signer } }: ResourceServer,
  { serviceIpRanges, serviceNodePorts: ports, hostname }: ControlLoopsOptions,
): Promise<ControlLoops> {
  const { store, cache, served, definitions } = storage;
  const reader = { store, cache, served };
  await signer.start();
  const eventExpiry = new EventExpiry({ reader, clock, log });
  await eventExpiry.start();
  const kept = { reader, keeper: new ObjectKeeper({ store, registry, served, random }), clock, log };
  const apiServices = new ApiServices({ ...kept, registry: definitions });
  await apiServices.start();
  const flowSchemaStatus = new FlowSchemaStatus({ reader, registry, responses, clock, random, log });
  flowSchemaStatus.start();
  const flowControlObjects = new FlowControlObjects(kept);
  flowControlObjects.start();
  const defaultServiceCidr = new DefaultServiceCidr({ ...kept, registry, responses, random, cidrs: serviceIpRanges.cidrs });
  await defaultServiceCidr.start();
  const serviceIpAddresses = new ServiceIpAddresses({ ...{ reader, cache, served }, clock, random, log });
  serviceIpAddresses.start();
  const kubernetesService = new KubernetesService({ ...kept, serviceIpRanges });
  const serviceNodePorts = new ServiceNodePorts({ reader, clock, log, ports });
  const identityLease = hostname === undefined ? undefined : new IdentityLease({ ...kept, random, hostname });
  let repair = Promise.resolve();
  return {
    listening(port, advertised) {
      kubernetesService.start({ ip: advertised, port });
      identityLease?.start({ ip: advertised, port });
      repair = serviceIpAddresses.repair();
      serviceNodePorts.start();
    },
    async leaveService() {
      await Promise.all([kubernetesService[Symbol.asyncDispose](), identityLease?.[Symbol.asyncDispose]()]);
    },
    async stop() {
      const loops = [
        kubernetesService,
        serviceIpAddresses,
        serviceNodePorts,
        defaultServiceCidr,
        flowSchemaStatus,
        flowControlObjects,
        apiServices,
        identityLease,
      ];
      await Promise.all(loops.map((one) => one?.[Symbol.asyncDispose]()));
      await repair;
    },
    [Symbol.dispose]() {
      eventExpiry[Symbol.dispose]();
    },
  };
}
