/** The kubelets of this server's nodes, and what Pods and Services offer: all that is behind the API server. */
import { Agent } from "node:https";
import type { Duplex, Readable } from "node:stream";
import { createSecureContext } from "node:tls";
import { badRequest, type Clock, goQuote, StatusError, serviceUnavailable, unexplained } from "@coxswain/machinery";
import type { HttpRequest, Reply } from "../contracts/http.ts";
import type { KubeletCredentials, KubeletOptions } from "../contracts/kubelet-options.ts";
import { namesUpgrade } from "../http/upgrade.ts";
import { transportProblem } from "../webhooks/webhook-error.ts";
import { proxiedHeaders, upgradeHeaders } from "./forwarded-headers.ts";
import { streamReply, textOf, tunnelReply } from "./forwarded-reply.ts";
import type { KubeletTarget } from "./kubelet-target.ts";
import { logRefusal } from "./log-refusal.ts";
import { proxiedPage } from "./proxied-links.ts";
import { proxiedReply } from "./proxied-reply.ts";
import { type BackendResponse, isGone, type OutgoingRequest, roundTrip, type Trust, tlsOptions, UnwantedUpgrade } from "./round-trip.ts";
import { hostOf, type Target, urlOf } from "./target.ts";

/** As much of a kubelet's refusal as the client gets to read. Bytes. */
const maxRefusalBytes = 50_000;
const maxIdleConnections = 64;

export interface KubeletRequest {
  readonly target: KubeletTarget;
  /** Names the node to a server of several nodes. */
  readonly node: string;
  readonly path: string;
}

/** To a Pod or a Service. */
export interface PodRequest {
  readonly target: Target;
  readonly path: string;
  /** Undefined: over the network. */
  readonly route: KubeletRequest | undefined;
  /** Whether this machine itself may be meant. */
  readonly loopback: boolean;
}

export class Kubelets implements Disposable {
  readonly loopback: boolean;
  readonly #options: KubeletOptions;
  readonly #clock: Clock;
  /** Made for the first kubelet that is asked, and again with other credentials: most tests have none. */
  #made: Made | undefined;
  readonly #followed: Disposable | undefined;
  /** Answers and connections that stay open until one side ends them. */
  readonly #open = new Set<Readable>();

  constructor(options: KubeletOptions, clock: Clock) {
    this.loopback = options.loopback ?? false;
    this.#options = options;
    this.#clock = clock;
    this.#followed = options.credentials?.subscribe(() => {
      // Requests under way keep their connections.
      for (const idle of Object.values(this.#made?.agent.freeSockets ?? {})) for (const socket of idle ?? []) socket.destroy();
      this.#made = undefined;
    });
  }

  /** What a container has written. @throws StatusError */
  async logs(goal: KubeletRequest, { pod, verify }: { readonly pod: string; readonly verify: boolean }): Promise<Reply> {
    const { target, node, path } = goal;
    const headers = { host: `${node}:${target.port}`, "accept-encoding": "identity" };
    const { own } = this.#trusts;
    const trust = verify ? own : { ...own, verify: false };
    const connection = this.#connectionTo(goal);
    const { loopback } = this;
    const answer = await this.#roundTrip({ target, method: "GET", path, headers, trust, connection, loopback }).catch((error: unknown) => {
      if (error instanceof StatusError) throw error;
      throw unexplained(`Get ${goQuote(urlOf(target, path))}: ${transportProblem(error)}`);
    });
    const { response } = answer;
    const status = response.statusCode ?? 500;
    if (status >= 300 && status < 400) {
      response.destroy();
      throw unexplained(`Get ${goQuote(response.headers.location ?? "")}: redirects forbidden`);
    }
    if (status < 200 || status > 206) throw logRefusal(status, await textOf(response, maxRefusalBytes), pod);
    const [contentType = "text/plain"] = (response.headers["content-type"] ?? "").split(";");
    return streamReply({ response, headers: { "content-type": contentType }, messages: "bytes" });
  }

  /** A connection to a command or a port. @throws StatusError */
  async connect(request: HttpRequest, goal: KubeletRequest): Promise<Reply> {
    if (!isUpgrade(request)) throw badRequest("Upgrade request required");
    const { target, node, path } = goal;
    const headers = { host: `${node}:${target.port}`, "content-length": "0", ...upgradeHeaders(request) };
    const connection = this.#connectionTo(goal);
    const { own: trust } = this.#trusts;
    return this.#upgrade({ target, method: request.method, path, headers, trust, connection, loopback: this.loopback });
  }

  /** Any request to the kubelet itself, as the API server. @throws StatusError */
  async proxyToKubelet(request: HttpRequest, body: Uint8Array, goal: KubeletRequest): Promise<Reply> {
    const { target, node, path } = goal;
    const host = `${node}:${target.port}`;
    const { own: trust, agent } = this.#trusts;
    const { loopback } = this;
    return this.#proxy(request, body, { target, path, trust, agent, host, connection: this.#connectionTo(goal), loopback });
  }

  /** Any request to a Pod or a Service, without credentials of the server. @throws StatusError */
  async proxy(request: HttpRequest, body: Uint8Array, { target, path, route, loopback }: PodRequest): Promise<Reply> {
    const tunnel = route === undefined ? undefined : await this.dial(route).catch(unreachable);
    return this.#proxy(request, body, { target, path, trust: anyServer, tunnel, loopback });
  }

  /** A connection to a port of a Pod, through its kubelet. Rejects with why there is none, or none in time. */
  async dial(goal: KubeletRequest, signal?: AbortSignal): Promise<Duplex> {
    const { target, node, path } = goal;
    const headers = { host: `${node}:${target.port}`, connection: "Upgrade", upgrade: "tcp", "content-length": "0" };
    const answer = await this.#roundTrip({
      target,
      method: "POST",
      path,
      headers,
      trust: this.#trusts.own,
      connection: this.#connectionTo(goal),
      dialled: "answered",
      loopback: this.loopback,
      signal,
    });
    if (answer.kind === "response") throw new Error(await textOf(answer.response, maxRefusalBytes));
    if (answer.head.length > 0) answer.socket.unshift(answer.head);
    return answer.socket;
  }

  /** Ends what goes on. */
  [Symbol.dispose](): void {
    this.#followed?.[Symbol.dispose]();
    for (const one of this.#open) one.destroy();
    this.#made?.agent.destroy();
  }

  /** Undefined for kubelets that are reached over the network. @throws serviceUnavailable() */
  #connectionTo({ node, target }: KubeletRequest): Duplex | undefined {
    const connection = this.#options.connect?.(node);
    if (connection === undefined && !target.listens) throw serviceUnavailable(`node "${node}" has no kubelet that can be reached`);
    return connection;
  }

  get #trusts(): Made {
    this.#made ??= made(this.#options.credentials?.current ?? {});
    return this.#made;
  }

  async #roundTrip(outgoing: Omit<OutgoingRequest, "clock">): Promise<BackendResponse> {
    const answer = await roundTrip({ ...outgoing, clock: this.#clock });
    const open = answer.kind === "upgraded" ? answer.socket : answer.response;
    this.#open.add(open);
    open.once("close", () => this.#open.delete(open));
    return answer;
  }

  async #proxy(
    request: HttpRequest,
    body: Uint8Array,
    {
      host,
      ...goal
    }: Pick<OutgoingRequest, "target" | "path" | "trust" | "agent" | "connection" | "tunnel" | "loopback"> & { readonly host?: string },
  ): Promise<Reply> {
    const upgrade = isUpgrade(request);
    const page = proxiedPage(request, goal.target, goal.path);
    const headers = {
      // Callers of this process name no host.
      host: hostOf(goal.target),
      ...proxiedHeaders(request, upgrade),
      ...(host === undefined ? {} : { host }),
      // Who may become something else learns no more than what the client says.
      ...(upgrade ? {} : { "x-forwarded-uri": page.uri }),
      ...(body.byteLength === 0 ? {} : { "content-length": String(body.byteLength) }),
    };
    const { method } = request;
    const { agent: _agent, ...alone } = goal;
    if (upgrade) return this.#upgrade({ ...alone, method, headers });
    const { response } = await this.#roundTrip({ ...goal, method, headers, body }).catch(unreachable);
    return proxiedReply(response, method, page);
  }

  async #upgrade(outgoing: Omit<OutgoingRequest, "clock">): Promise<Reply> {
    const answer = await this.#roundTrip(outgoing).catch((error: unknown) => {
      if (error instanceof StatusError) throw error;
      if (error instanceof Error && isGone(error)) throw unexplained("unexpected EOF");
      throw unexplained(`error dialing backend: ${problemOf(error)}`);
    });
    if (answer.kind === "upgraded") return tunnelReply(answer);
    const { statusCode = 0 } = answer.response;
    if (statusCode >= 400) return { ...streamReply({ response: answer.response }), closeConnection: true };
    answer.response.destroy();
    throw unexplained(`invalid upgrade response: status code ${statusCode}`);
  }
}

/** @throws serviceUnavailable() */
function unreachable(error: unknown): never {
  if (error instanceof StatusError) throw error;
  if (error instanceof UnwantedUpgrade) throw unexplained(error.message);
  throw serviceUnavailable(`error trying to reach service: ${problemOf(error)}`);
}

/** Where nothing explains it further, as below Go's client. */
function problemOf(error: unknown): string {
  const problem = transportProblem(error);
  return problem === "http: server gave HTTP response to HTTPS client" ? "tls: first record does not look like a TLS handshake" : problem;
}

interface Made {
  readonly own: Trust;
  readonly agent: Agent;
}

function made({ cert, key, ca }: KubeletCredentials): Made {
  const known = cert === undefined || key === undefined ? {} : { cert, key };
  const own = { context: createSecureContext({ ...known, ...(ca === undefined ? {} : { ca }) }), verify: ca !== undefined };
  return { own, agent: new Agent({ ...tlsOptions(own), keepAlive: true, maxFreeSockets: maxIdleConnections }) };
}

/** As a kube-apiserver believes any Pod and Service. */
const anyServer: Trust = { context: undefined, verify: false };

export const isUpgrade = (request: HttpRequest): boolean => request.http1 && namesUpgrade(request);
