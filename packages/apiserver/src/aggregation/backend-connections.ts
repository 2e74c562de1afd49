/** Ways to the servers that APIServices name. */
import { Agent } from "node:https";
import type { Duplex, Readable } from "node:stream";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import type { Clock } from "@coxswain/machinery";
import type { ProxyClientPair } from "../contracts/aggregation-options.ts";
import type { ContentProvider } from "../contracts/content-provider.ts";
import { type BackendResponse, type OutgoingHeaders, roundTrip, type Trust, tlsOptions } from "../kubelets/round-trip.ts";
import type { Target } from "../kubelets/target.ts";
import type { Endpoint, ServiceResolver } from "../webhooks/client-config.ts";
import { trustedAuthorities } from "../webhooks/trusted-authorities.ts";
import { type Backend, serverNameOf } from "./backend.ts";

export interface BackendConnectionsOptions {
  readonly resolve: ServiceResolver;
  /** A connection to who is not reached over the network; undefined for all others. */
  readonly dial: (endpoint: Endpoint, signal: AbortSignal | undefined) => Promise<Duplex | undefined>;
  readonly proxyClient: ContentProvider<ProxyClientPair> | undefined;
  /** Whether this machine itself may be meant. */
  readonly loopback: boolean;
  readonly clock: Clock;
}

export interface BackendRequest {
  readonly endpoint: Endpoint;
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHeaders;
  readonly body?: Uint8Array;
  /** Whether the connection may become another protocol's. */
  readonly upgrade?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** By authorities and whether they count: more are made again. */
const maxWays = 64;
const maxIdleConnections = 25;

interface Way {
  readonly trust: Trust;
  readonly agent: Agent;
}

export class BackendConnections implements Disposable {
  readonly #options: BackendConnectionsOptions;
  /** The one used last at the end. */
  readonly #ways = new Map<string, Way>();
  /** Answers and connections that stay open until one side ends them. */
  readonly #open = new Set<Readable>();
  readonly #followed: Disposable | undefined;

  constructor(options: BackendConnectionsOptions) {
    this.#options = options;
    this.#followed = options.proxyClient?.subscribe(() => this.#forgetWays());
  }

  /** @throws Error with the reason why there is none */
  endpointOf({ service }: Backend): Promise<Endpoint> {
    return this.#options.resolve(service.namespace, service.name, service.port);
  }

  /** Redirects are answers like others. Rejects with Node's own errors, and with badRequest() for an address that must not be asked. */
  async send(backend: Backend, { endpoint, upgrade = false, ...request }: BackendRequest): Promise<BackendResponse> {
    const { clock, loopback, dial } = this.#options;
    const { trust, agent } = this.#wayOf(backend);
    const tunnel = await dial(endpoint, request.signal);
    // What may not be repeated gets a connection of its own: a kept one may have been closed just now.
    const isRepeatable = request.method === "GET" && !upgrade && tunnel === undefined;
    const serverName = serverNameOf(backend);
    const answer = await roundTrip({
      ...request,
      headers: { ...request.headers, host: `${serverName}:${backend.service.port}` },
      target: targetOf(endpoint),
      serverName,
      trust,
      ...(isRepeatable ? { agent } : {}),
      tunnel,
      loopback: loopback || endpoint.isOwn === true,
      clock,
    });
    const open = answer.kind === "upgraded" ? answer.socket : answer.response;
    this.#open.add(open);
    open.once("close", () => this.#open.delete(open));
    return answer;
  }

  /** Ends what goes on. */
  [Symbol.dispose](): void {
    this.#followed?.[Symbol.dispose]();
    for (const one of this.#open) one.destroy();
    this.#forgetWays();
  }

  /** Requests under way keep their connections. */
  #forgetWays(): void {
    for (const way of this.#ways.values()) endIdle(way);
    this.#ways.clear();
  }

  /** @throws WebhookError for a bundle without certificates */
  #wayOf({ caBundle, insecureSkipTlsVerify }: Backend): Way {
    const key = `${insecureSkipTlsVerify} ${caBundle}`;
    const way = this.#ways.get(key) ?? makeWay(caBundle, insecureSkipTlsVerify, this.#options.proxyClient?.current);
    this.#ways.delete(key);
    this.#ways.set(key, way);
    const [oldest] = this.#ways;
    if (this.#ways.size > maxWays && oldest !== undefined) {
      endIdle(oldest[1]);
      this.#ways.delete(oldest[0]);
    }
    return way;
  }
}

export const targetOf = ({ host, port }: Endpoint): Target => ({ scheme: "https", host, port });

function makeWay(caBundle: string, insecure: boolean, client: ProxyClientPair | undefined): Way {
  const authorities: SecureContextOptions = insecure ? {} : trustedAuthorities(caBundle);
  const trust = { context: createSecureContext({ ...authorities, ...client }), verify: !insecure };
  return { trust, agent: new Agent({ ...tlsOptions(trust), keepAlive: true, maxFreeSockets: maxIdleConnections }) };
}

function endIdle({ agent }: Way): void {
  for (const idle of Object.values(agent.freeSockets)) for (const socket of idle ?? []) socket.destroy();
}
