/**
 * Other API servers behind this one: an APIService that names a Service gives its group and version to the server there.
 * @see https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/
 */
import type { ResourceDefinition, ResourceRegistry } from "@coxswain/api";
import type { Clock, RandomSource } from "@coxswain/machinery";
import type { AggregationOptions } from "../contracts/aggregation-options.ts";
import type { Exchange } from "../contracts/exchange.ts";
import type { Reply } from "../contracts/http.ts";
import type { Log } from "../contracts/log.ts";
import type { RequestHeaderNames } from "../contracts/request-header-names.ts";
import type { AggregatedVersions } from "../discovery/aggregated-versions.ts";
import type { AggregationSeries, AvailabilityState } from "../metrics/aggregation.ts";
import type { AggregatedOpenApi } from "../openapi/aggregated-openapi.ts";
import type { GenericRegistry } from "../registry/generic-registry.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { ApiServiceIndex } from "./api-service-index.ts";
import { AvailabilityController } from "./availability-controller.ts";
import type { ApiService, Backend } from "./backend.ts";
import { BackendConnections, type BackendConnectionsOptions } from "./backend-connections.ts";
import { type Discovered, discover } from "./backend-discovery.ts";
import { BackendOpenApi } from "./backend-openapi.ts";
import { BackendProxy } from "./backend-proxy.ts";
import { MergedDiscovery } from "./merged-discovery.ts";

export interface AggregatorOptions {
  readonly reader: ObjectReader;
  readonly objects: GenericRegistry;
  readonly registry: ResourceRegistry;
  /** What is served here until another server does. */
  readonly ownUntilThen: readonly ResourceDefinition[];
  readonly network: Pick<BackendConnectionsOptions, "resolve" | "dial" | "loopback">;
  readonly aggregation: AggregationOptions | undefined;
  /** Otherwise another server writes whether extension servers are available, and here that is found out for requests alone. */
  readonly keepsConditions: boolean;
  /** In which headers the servers, by what is published, find identities. */
  readonly identityNames: RequestHeaderNames | undefined;
  readonly requestTimeoutMs: number;
  readonly series: AggregationSeries;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
}

export class Aggregator implements AsyncDisposable {
  readonly #options: AggregatorOptions;
  readonly #index: ApiServiceIndex;
  readonly #connections: BackendConnections;
  readonly #proxy: BackendProxy;
  readonly #merged: MergedDiscovery;
  readonly #openapi: BackendOpenApi;
  readonly #availability: AvailabilityController;
  /** What servers have said last, by where they are. */
  readonly #discovered = new Map<string, Discovered>();

  constructor(options: AggregatorOptions) {
    const { reader, objects, network, aggregation, keepsConditions, clock, random, log } = options;
    this.#options = options;
    this.#index = new ApiServiceIndex(options);
    this.#connections = new BackendConnections({ ...network, proxyClient: aggregation?.proxyClient, clock });
    this.#merged = new MergedDiscovery(this.#index);
    const connections = this.#connections;
    this.#openapi = new BackendOpenApi(this.#index, { connections, clock });
    this.#proxy = new BackendProxy({ ...options, connections, forwardRedirects: aggregation?.forwardRedirects ?? false });
    this.#availability = new AvailabilityController({
      ...{ reader, registry: objects, index: this.#index, connections, keepsConditions, clock, random, log },
      checked: (backend, isAvailable) => this.#learn(backend, isAvailable),
    });
  }

  start(): Promise<void> {
    return this.#index.start((name, object) => {
      this.#options.series.set(name, availabilityOf(object));
      this.#merged.changed();
      this.#openapi.changed();
      this.#availability.changed(name, object);
    });
  }

  /** For discovery. */
  get versions(): AggregatedVersions {
    return this.#merged;
  }

  get openapi(): AggregatedOpenApi {
    return this.#openapi;
  }

  /** The answer to a request below `/apis/GROUP/VERSION`, where that is not for this server to give. */
  answer(exchange: Exchange): Promise<Reply> | undefined {
    if (this.#index.isEmpty) return undefined;
    const { info } = exchange;
    // As the path was decoded: it may be written in many ways.
    const [root, group = "", version = ""] = info.kind === "path" ? info.segments : ["apis", info.group, info.version];
    const backend = root === "apis" ? this.#index.find(group, version) : undefined;
    return backend === undefined ? undefined : this.#proxy.answer(exchange, backend);
  }

  /** Settles once nothing is written any more; what is passed on ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#index[Symbol.dispose]();
    this.#connections[Symbol.dispose]();
    await this.#availability[Symbol.asyncDispose]();
  }

  async #learn(backend: Backend, isAvailable: boolean): Promise<void> {
    const { clock, log } = this.#options;
    if (!isAvailable) return this.#merged.learn(backend, undefined);
    const { namespace, name, port } = backend.service;
    const place = `${namespace}/${name}:${port}`;
    try {
      const discovered = await discover({ connections: this.#connections, clock }, backend, this.#discovered.get(place));
      this.#discovered.set(place, discovered);
      this.#merged.learn(backend, discovered);
    } catch (error) {
      log.warn({ error, apiService: backend.name }, "failed to read what an extension server serves");
      this.#merged.learn(backend, undefined);
    }
    await this.#openapi
      .learn(backend)
      .catch((error: unknown) => log.warn({ error, apiService: backend.name }, "failed to read the OpenAPI of an extension server"));
  }
}

function availabilityOf(object: ApiService | undefined): AvailabilityState | undefined {
  const condition = object?.status?.conditions?.find(({ type }) => type === "Available");
  return condition && { isAvailable: condition.status === "True", reason: condition.reason ?? "" };
}
