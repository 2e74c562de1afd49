/** One request to a kubelet, a Pod or a Service, and its answer while it comes. */
import { lookup } from "node:dns";
import type { Agent as HttpAgent, IncomingMessage } from "node:http";
import { type Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, checkServerIdentity, type SecureContext, connect as tlsConnect } from "node:tls";
import { type Clock, goQuote } from "@coxswain/machinery";
import { checkReach, type Target } from "./target.ts";

export type OutgoingHeaders = Readonly<Record<string, string | readonly string[]>>;

export interface OutgoingRequest {
  readonly target: Target;
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHeaders;
  readonly body?: Uint8Array;
  readonly trust: Trust;
  /** That the certificate must have. Default: the target's host. */
  readonly serverName?: string;
  /** Keeps connections, to backends that `trust` accepts; without one each request gets its own. */
  readonly agent?: HttpAgent | HttpsAgent;
  /** For this request alone, where there is one already: plain HTTP. */
  readonly connection?: Duplex | undefined;
  /** For this request alone: bytes on it come to the target. */
  readonly tunnel?: Duplex | undefined;
  /** Until when `dialMs` counts. Default: a connection is there. */
  readonly dialled?: "answered";
  /** Whether this machine itself may be meant, where there is no connection and no tunnel. */
  readonly loopback: boolean;
  /** Gives up until there is an answer. */
  readonly signal?: AbortSignal | undefined;
  readonly clock: Clock;
}

/** Which server certificates are trusted, and the client's own certificate. */
export interface Trust {
  readonly context: SecureContext | undefined;
  readonly verify: boolean;
}

type TlsOptions = Pick<ConnectionOptions, "secureContext" | "rejectUnauthorized" | "checkServerIdentity">;

/** A name in the subject is none: certificates say whose they are in their alternative names. */
export const tlsOptions = ({ context, verify }: Trust): TlsOptions => ({
  ...(context === undefined ? {} : { secureContext: context }),
  rejectUnauthorized: verify,
  checkServerIdentity: (host, cert) => checkServerIdentity(host, { ...cert, subject: { ...cert.subject, CN: "" } }),
});

export type BackendResponse =
  | { readonly kind: "response"; readonly response: IncomingMessage }
  | { readonly kind: "upgraded"; readonly response: IncomingMessage; readonly socket: Duplex; readonly head: Buffer };

/** A backend that switches protocols without being asked to. */
export class UnwantedUpgrade extends Error {}

/** How long it may take to connect. Milliseconds. */
const dialMs = 30_000;

/** Redirects are answers like others. Rejects with Node's own errors, and with badRequest() for an address that must not be asked. */
export async function roundTrip(request: OutgoingRequest): Promise<BackendResponse> {
  for (;;) {
    if (request.connection === undefined && request.tunnel === undefined && isIP(request.target.host) !== 0)
      checkReach(request.target.host, request.loopback);
    const { answer, reused } = send(request);
    try {
      return await answer;
    } catch (error) {
      // A kept connection may have been closed by the other side just now: then nothing was asked yet.
      if (!reused() || request.method !== "GET" || !isGone(error)) throw error;
    }
  }
}

/** Whether the other side has hung up. */
export const isGone = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");

/** Connects to no other address than to one that was checked, whatever the name means the next time it is looked up. */
const checkedLookup =
  (loopback: boolean): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      try {
        if (error === null) for (const { address } of addresses) checkReach(address, loopback);
      } catch (refused) {
        return callback(refused as Error, []);
      }
      const [first = { address: "", family: 0 }] = addresses ?? [];
      if (error !== null || options.all === true) callback(error, addresses);
      else callback(null, first.address, first.family);
    });

interface Sent {
  readonly answer: Promise<BackendResponse>;
  readonly reused: () => boolean;
}

function send(request: OutgoingRequest): Sent {
  const { target, method, path, headers, body, trust, agent, connection, tunnel, dialled, signal, clock } = request;
  const { scheme, host, port } = target;
  const { serverName = host } = request;
  const secure = {
    // An address is no name to ask for; the certificate must have it all the same.
    servername: isIP(serverName) === 0 ? serverName : "",
    // An agent has its own; with these it would keep no connection.
    ...(agent === undefined ? tlsOptions(trust) : {}),
  };
  const isSecure = scheme === "https" && connection === undefined;
  const own = connection ?? (tunnel !== undefined && isSecure ? tlsConnect({ socket: tunnel, ...secure, ...tlsOptions(trust) }) : tunnel);
  // Loaded when it is needed: with this module Node also makes its fetch, a tenth of what a start takes.
  const make = isSecure ? httpsRequest : process.getBuiltinModule("node:http").request;
  const sent = make({
    host,
    port,
    method,
    path,
    headers: mutable(headers),
    setHost: false,
    lookup: checkedLookup(request.loopback),
    ...(signal === undefined ? {} : { signal }),
    ...(isSecure ? secure : {}),
    ...(own === undefined ? { agent: agent ?? false } : { createConnection: () => own }),
  });
  const timer = clock.schedule(dialMs, () => {
    sent.destroy(Object.assign(new Error("connect ETIMEDOUT"), { code: "ETIMEDOUT", address: host, port }));
  });
  const connected = (): void => timer[Symbol.dispose]();
  sent.once("socket", (socket) => {
    if (dialled === "answered") return;
    if (socket.connecting) socket.once(isSecure ? "secureConnect" : "connect", connected);
    else connected();
  });
  sent.once("close", connected);
  const answer = new Promise<BackendResponse>((resolve, reject) => {
    sent.on("error", reject);
    sent.once("response", (response) => resolve({ kind: "response", response }));
    sent.once("upgrade", (response, socket, head) => {
      socket.on("error", () => socket.destroy());
      if (headers.upgrade === undefined) {
        socket.destroy();
        reject(new UnwantedUpgrade(`backend tried to switch protocol ${goQuote(response.headers.upgrade ?? "")} when "" was requested`));
        return;
      }
      resolve({ kind: "upgraded", response, socket, head });
    });
  });
  sent.end(body);
  return { answer, reused: () => sent.reusedSocket };
}

const mutable = (headers: OutgoingHeaders): Record<string, string | string[]> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]]));
