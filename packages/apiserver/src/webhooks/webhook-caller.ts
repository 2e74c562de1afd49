/**
 * Calls webhooks: a POST over TLS to the address of the configuration; redirects are not followed. Connections
 * are kept, for each bundle of authorities apart.
 */
import { lookup as systemLookup } from "node:dns";
import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { checkServerIdentity, createSecureContext, type SecureContext, type TLSSocket, connect as tlsConnect } from "node:tls";
import { type Clock, goQuote, sleep } from "@coxswain/machinery";
import type { WebhookAccess, WebhookCredentials } from "../contracts/webhook-credentials.ts";
import { reachOf } from "../http/reach.ts";
import { answerProblem, retryDelayOf, type WebhookAnswer } from "./answer-problem.ts";
import { type Endpoint, type ServiceResolver, targetOf, type WebhookClientConfig, type WebhookTarget } from "./client-config.ts";
import { CredentialFiles, type PresentedCredentials } from "./presented-credentials.ts";
import { trustedAuthorities } from "./trusted-authorities.ts";
import { isConnectionReset, transportProblem, WebhookError } from "./webhook-error.ts";

export interface WebhookCall {
  readonly client: WebhookClientConfig;
  /** What the webhook is shown of this server. Default: nothing. */
  readonly credentials?: WebhookCredentials | undefined;
  /** How its certificate is checked otherwise than by the address. */
  readonly identity?: Pick<WebhookAccess, "serverName" | "isUnchecked">;
  /** JSON. */
  readonly body: Buffer;
  /** For all tries together; whole seconds, which the webhook gets to know. */
  readonly timeoutMs: number;
  /** An answer of more bytes is none. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export interface WebhookCallerOptions {
  readonly clock: Clock;
  readonly resolve: ServiceResolver;
  /** Default: the machine's own. */
  readonly lookup?: LookupFunction | undefined;
  /** A connection to who is not reached over the network; undefined for all others. */
  readonly dial?: (endpoint: Endpoint, signal: AbortSignal) => Promise<Duplex | undefined>;
}

/** As many as Kubernetes keeps. */
const maxClients = 200;
const maxIdleConnections = 25;
/** To one webhook: what comes on top waits its turn, within its timeout. */
const maxConnections = 100;
/** How often a webhook that answers with Retry-After is called again. */
const maxRetries = 10;

export class WebhookCaller {
  readonly #options: WebhookCallerOptions;
  /** By bundle and credentials, the one used last at the end. */
  readonly #agents = new Map<string, Agent>();
  readonly #files: CredentialFiles;

  constructor(options: WebhookCallerOptions) {
    this.#options = options;
    this.#files = new CredentialFiles(options.clock);
  }

  /** The body of a successful answer. @throws WebhookError */
  async call({ client, credentials, identity, body, timeoutMs, maxBytes, signal }: WebhookCall): Promise<Buffer> {
    const { clock, resolve } = this.#options;
    const target = targetOf(client, resolve, identity?.serverName);
    const shown = credentials === undefined ? undefined : await this.#files.present(credentials);
    const agent = this.#agentOf({ caBundle: client.caBundle ?? "", shown, isUnchecked: identity?.isUnchecked ?? false });
    const late = new AbortController();
    using timer = clock.schedule(timeoutMs, () => late.abort());
    timer.unref();
    const until = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    const query = `?timeout=${goSeconds(timeoutMs)}`;
    try {
      for (let tries = 0; ; tries++) {
        const answer = await this.#post({ target, agent, shown, query, body, maxBytes, signal: until });
        const delayMs = tries < maxRetries ? retryDelayOf(answer) : undefined;
        if (delayMs === undefined) return successOf(answer);
        await sleep(clock, delayMs, until);
      }
    } catch (error) {
      if (error instanceof WebhookError) throw error;
      throw new WebhookError(`Post ${goQuote(target.url + query)}: ${transportProblem(error)}`, { isTransient: isConnectionReset(error) });
    }
  }

  /** Ends the connections. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  /** A kept connection may have been closed by the other side just now: then nothing was asked yet, and another is taken. */
  async #post(post: Omit<Post, "endpoint" | "tunnel">): Promise<WebhookAnswer> {
    const endpoint = await post.target.endpoint();
    if (isIP(endpoint.host) !== 0 && !isAllowed(endpoint.host)) throw notAllowed(endpoint.host);
    const tunnel = await this.#options.dial?.(endpoint, post.signal);
    if (tunnel !== undefined) return await send({ ...post, endpoint, tunnel }).answer.finally(() => void tunnel.destroy());
    const lookup = allowedOnly(this.#options.lookup ?? systemLookup);
    for (;;) {
      const { answer, reused } = send({ ...post, endpoint, lookup });
      try {
        return await answer;
      } catch (error) {
        if (!reused() || !isGone(error)) throw error;
      }
    }
  }

  #agentOf(connection: Connection): Agent {
    const key = keyOf(connection);
    const agent = this.#agents.get(key) ?? makeAgent(connection);
    this.#agents.delete(key);
    this.#agents.set(key, agent);
    const [oldest] = this.#agents.keys();
    if (this.#agents.size > maxClients && oldest !== undefined) {
      this.#agents.get(oldest)?.destroy();
      this.#agents.delete(oldest);
    }
    return agent;
  }
}

/** By what connections differ that reach the same address. */
interface Connection {
  readonly caBundle: string;
  readonly shown: PresentedCredentials | undefined;
  readonly isUnchecked: boolean;
}

const keyOf = ({ caBundle, shown, isUnchecked }: Connection): string =>
  shown === undefined && !isUnchecked ? caBundle : [caBundle, shown?.certificate, shown?.key, isUnchecked].join("\0");

function successOf(answer: WebhookAnswer): Buffer {
  const problem = answerProblem(answer);
  if (problem === undefined) return answer.body;
  const isTransient = [429, 500, 504].includes(answer.code) || answer.retryAfter !== undefined;
  throw new WebhookError(problem.message, { httpCode: answer.code, isTransient, isStatus: problem.isStatus });
}

function makeAgent({ caBundle, shown, isUnchecked }: Connection): Agent {
  return new Agent({
    keepAlive: true,
    maxSockets: maxConnections,
    maxFreeSockets: maxIdleConnections,
    secureContext: secureContextOf(caBundle, shown),
    rejectUnauthorized: !isUnchecked,
    // A name in the subject is none: certificates say whose they are in their alternative names.
    checkServerIdentity: (host, cert) => checkServerIdentity(host, { ...cert, subject: { ...cert.subject, CN: "" } }),
  });
}

function secureContextOf(caBundle: string, { certificate = "", key = "" }: Partial<PresentedCredentials> = {}): SecureContext {
  if (certificate === "") return createSecureContext(trustedAuthorities(caBundle));
  try {
    return createSecureContext({ ...trustedAuthorities(caBundle), cert: certificate, key });
  } catch (error) {
    if (error instanceof WebhookError) throw error;
    // What OpenSSL has to say of it might show some of the key.
    throw new WebhookError("failed to load the client certificate: it and its key are no pair in PEM", { uncallable: true });
  }
}

interface Post {
  readonly target: WebhookTarget;
  readonly endpoint: Endpoint;
  readonly agent: Agent;
  readonly shown: PresentedCredentials | undefined;
  readonly tunnel?: Duplex;
  readonly lookup?: LookupFunction;
  readonly query: string;
  readonly body: Buffer;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

function send({ target, endpoint, agent, shown, tunnel, lookup, query, body, maxBytes, signal }: Post): {
  readonly answer: Promise<WebhookAnswer>;
  readonly reused: () => boolean;
} {
  // An address is no name to ask for; the certificate must have it all the same.
  const servername = isIP(target.serverName) === 0 ? target.serverName : "";
  const request: ClientRequest = httpsRequest({
    ...(lookup === undefined ? {} : { lookup }),
    ...(tunnel === undefined ? { agent } : { createConnection: () => secured(tunnel, agent, target.serverName) }),
    signal,
    method: "POST",
    host: endpoint.host,
    port: endpoint.port,
    servername,
    path: target.path + query,
    headers: {
      host: target.hostHeader,
      accept: "application/json, */*",
      "content-type": "application/json",
      "content-length": body.byteLength,
      "user-agent": "kube-apiserver-admission",
      ...(shown === undefined || shown.authorization === "" ? {} : { authorization: shown.authorization }),
    },
  });
  const answer = new Promise<WebhookAnswer>((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (response) => readAnswer(response, maxBytes, signal).then(resolve, reject));
  });
  request.end(body);
  return { answer, reused: () => request.reusedSocket };
}

/** Names may stand for any address. */
const allowedOnly =
  (lookup: LookupFunction): LookupFunction =>
  (name, options, done) =>
    lookup(name, options, (error, found, family) => {
      const addresses = typeof found === "string" ? [found] : (found ?? []).map(({ address }) => address);
      const wrong = addresses.find((address) => !isAllowed(address));
      if (error === null && wrong !== undefined) done(notAllowed(wrong), found, family);
      else done(error, found, family);
    });

/** At link-local addresses are services for this machine alone, such as the one that has its credentials in a cloud. */
const isAllowed = (address: string): boolean => reachOf(address) !== "none";

const notAllowed = (address: string): WebhookError => new WebhookError(`address ${address} is not allowed`);

/** As the agent would connect. */
const secured = (socket: Duplex, { options }: Agent, host: string): TLSSocket => {
  const { secureContext, checkServerIdentity: check, rejectUnauthorized = true } = options;
  return tlsConnect({
    socket,
    host,
    servername: isIP(host) === 0 ? host : "",
    rejectUnauthorized,
    ...(secureContext === undefined ? {} : { secureContext }),
    ...(check === undefined ? {} : { checkServerIdentity: check }),
  });
};

async function readAnswer(response: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<WebhookAnswer> {
  const { statusCode: code = 0, headers } = response;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new WebhookError(`the response is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof WebhookError) throw error;
    const why = signal.aborted ? "context deadline exceeded" : "unexpected EOF";
    throw new WebhookError(`unexpected error when reading response body. Please retry. Original error: ${why}`);
  }
  return { code, contentType: headers["content-type"] ?? "", retryAfter: headers["retry-after"], body: Buffer.concat(chunks) };
}

const isGone = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");

/** Seconds as Go prints a duration: `30s`, `1m30s`. */
function goSeconds(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
