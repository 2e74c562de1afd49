/**
 * ServiceCIDR `kubernetes`: the ranges of the server, from which Services get their addresses. It is created again where it is
 * missing, and gets the second range where it has the first alone; another first range of an earlier server stays.
 * @see https://kubernetes.io/docs/reference/networking/virtual-ips/#ip-address-objects
 */
import type { networkingV1 } from "@coxswain/api";
import {
  type Clock,
  DisposableStack,
  deepEqual,
  isConflict,
  isNotFound,
  type KubeObject,
  type RandomSource,
  wireTime,
} from "@coxswain/machinery";
import type { Log } from "../contracts/log.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { defaultServiceCidrName as name } from "../effects/core/service/service-cidrs.ts";
import { apply } from "../handlers/apply.ts";
import type { GenericRegistry } from "../registry/generic-registry.ts";
import { systemContext } from "../registry/system-context.ts";
import type { ResponseWriter } from "../responsewriters/response-writer.ts";
import { type ObjectReader, readObject } from "../storage/object-reader.ts";
import { keyOf } from "../storage/served-resource.ts";
import type { ObjectKeeper } from "./object-keeper.ts";
import { ReconcileLoop } from "./reconcile-loop.ts";

type ServiceCidr = networkingV1.ServiceCIDR & KubeObject;

const apiVersion = "networking.k8s.io/v1";
const fieldManager = "kubernetes-service-cidr-controller";
const serviceCidrs = { group: "networking.k8s.io", version: "v1", resource: "servicecidrs" };

interface DefaultServiceCidrOptions {
  readonly reader: ObjectReader;
  readonly keeper: ObjectKeeper;
  readonly registry: GenericRegistry;
  readonly responses: ResponseWriter;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  /** The first is that of the default family. */
  readonly cidrs: readonly string[];
}

export class DefaultServiceCidr implements AsyncDisposable {
  readonly #options: DefaultServiceCidrOptions;
  readonly #loop: ReconcileLoop;
  readonly #subscriptions = new DisposableStack();
  #reportedMismatch = false;

  constructor(options: DefaultServiceCidrOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#loop = new ReconcileLoop({ clock, log, what: "the default ServiceCIDR" }, () => this.#reconcile());
  }

  /** Resolves once the ranges are there, and keeps them in the background from then on. */
  async start(): Promise<void> {
    const { store } = this.#options.reader;
    const resource = this.#resource();
    if (resource === undefined) return;
    this.#subscriptions.use(store.subscribe(keyOf(resource, "", name), { after: store.revision }, () => this.#loop.trigger()));
    await this.#reconcile();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscriptions[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
  }

  async #reconcile(): Promise<void> {
    const { reader, keeper, cidrs, clock, log } = this.#options;
    const found = await readObject<ServiceCidr>(reader, serviceCidrs, "", name);
    const current = found?.spec?.cidrs ?? [];
    const [first] = cidrs;
    if (found !== undefined && current.length === 1 && cidrs.length === 2 && current[0] === first) {
      await keeper.keep(found, (object) => addRange(object as ServiceCidr, cidrs));
      return;
    }
    if (found === undefined) await keeper.keep(defaultServiceCidr(cidrs, clock.now()), () => undefined);
    else if (!deepEqual(current, cidrs)) {
      const message = "the ServiceCIDR kubernetes has other ranges than the server was started with: Services get addresses of those";
      if (!this.#reportedMismatch) log.warn({ cidrs: current, configured: cidrs }, message);
      this.#reportedMismatch = true;
      return;
    }
    if (found?.metadata?.deletionTimestamp === undefined && readyOf(found) === undefined) await this.#setReady();
  }

  async #setReady(): Promise<void> {
    const { registry, responses, clock, random } = this.#options;
    const resource = this.#resource();
    if (resource === undefined) return;
    const applied = { apiVersion, kind: "ServiceCIDR", metadata: { name }, status: { conditions: [readyCondition(clock.now())] } };
    const context = systemContext(random, resource, { component: "kube-apiserver", verb: "update", name, subresource: "status" });
    const query = new URLSearchParams({ fieldManager, force: "true" });
    try {
      await apply({ registry, responses }, { ...context, query, body: Buffer.from(JSON.stringify(applied)) }, "status");
    } catch (error) {
      // It went or changed meanwhile, which is a reason to reconcile again.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  #resource(): ServedResource | undefined {
    const { group, version, resource } = serviceCidrs;
    return this.#options.reader.served.find(group, version, resource);
  }
}

const readyOf = (cidr: Readonly<ServiceCidr> | undefined) => cidr?.status?.conditions?.find(({ type }) => type === "Ready");

function addRange({ spec }: ServiceCidr, cidrs: readonly string[]): void {
  if (spec?.cidrs?.length === 1 && spec.cidrs[0] === cidrs[0]) spec.cidrs = [...cidrs];
}

/** `now` in milliseconds since the epoch. */
const readyCondition = (now: number) => ({
  type: "Ready",
  status: "True",
  lastTransitionTime: wireTime(now),
  reason: "",
  message: "Kubernetes default Service CIDR is ready",
});

/** `now` in milliseconds since the epoch. */
export const defaultServiceCidr = (cidrs: readonly string[], now: number): ServiceCidr => ({
  kind: "ServiceCIDR",
  apiVersion,
  metadata: { name },
  spec: { cidrs: [...cidrs] },
  status: { conditions: [readyCondition(now)] },
});
