/** Makes connections: straight or through a proxy, plain or with TLS. */
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { type ConnectionOptions, checkServerIdentity, connect as connectTls, type TLSSocket } from "node:tls";
import type { Clock } from "@coxswain/machinery";
import type { ClientCertificate } from "../transport/credentials.ts";
import { ConnectionError } from "../transport/transport.ts";
import { connected, endpoint } from "./endpoint.ts";
import { tunnelThrough } from "./proxy-tunnel.ts";

/** By what the certificate of a server is checked. */
export interface TlsOptions {
  /** PEM: the only authorities that are trusted. Default: those that Node brings. Asked at each connection, for files that change. */
  readonly ca?: string | Uint8Array | (() => Promise<string | Uint8Array>);
  /** The name that the server's certificate must have. Default: the host of its address. */
  readonly serverName?: string;
  /** Trusts whoever answers. */
  readonly insecure?: boolean;
}

export interface Destination {
  readonly server: URL;
  readonly tls: TlsOptions;
  readonly proxy: URL | undefined;
  readonly clock: Clock;
  /** For everything together: name, proxy, TLS. */
  readonly connectTimeoutMs: number;
}

export interface DialOptions {
  /** ALPN, in the order of preference. */
  readonly protocols: readonly string[];
  readonly certificate: ClientCertificate | undefined;
  readonly signal: AbortSignal;
}

/** The socket ends together with whoever takes it. @throws ConnectionError, always `unsent` */
export async function dial(to: Destination, { protocols, certificate, signal }: DialOptions): Promise<Socket> {
  const late = new AbortController();
  using _timer = to.clock.schedule(to.connectTimeoutMs, () =>
    late.abort(new Error(`there was no connection after ${to.connectTimeoutMs / 1000} s`)),
  );
  const either = AbortSignal.any([signal, late.signal]);
  let socket: Socket | undefined;
  try {
    socket = await connected(connectTcp(endpoint(to.proxy ?? to.server)), "connect", either);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, keepAliveMs);
    if (to.proxy !== undefined) socket = await tunnelThrough(to.proxy, socket, endpoint(to.server), either);
    if (to.server.protocol === "https:") socket = await secured(to, socket, { protocols, certificate }, either);
    return socket;
  } catch (error) {
    socket?.destroy();
    throw asConnectionError(to, error);
  }
}

/** As client-go's dialer: what TCP itself asks of a peer that is silent. */
const keepAliveMs = 30_000;

async function secured(
  { server, tls }: Destination,
  socket: Socket,
  { protocols, certificate }: Pick<DialOptions, "protocols" | "certificate">,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const ca = typeof tls.ca === "function" ? await tls.ca() : tls.ca;
  const name = tls.serverName || endpoint(server).host;
  const options: ConnectionOptions = {
    socket,
    ALPNProtocols: [...protocols],
    rejectUnauthorized: tls.insecure !== true,
    minVersion: "TLSv1.2",
    checkServerIdentity: (_host, peer) => checkServerIdentity(name, peer),
    // Addresses are no names: TLS does not know them in its greeting.
    servername: isIP(name) === 0 ? name : "",
    ...(ca === undefined ? {} : { ca: buffer(ca) }),
    ...(certificate === undefined ? {} : { cert: buffer(certificate.cert), key: buffer(certificate.key) }),
  };
  const secure = await connected(connectTls(options), "secureConnect", signal);
  // Where no name was sent, Node says false and Deno "", of which its HTTP/2 then makes a URL without a host.
  if (secure.servername === "") secure.servername = false;
  return secure;
}

const buffer = (pem: string | Uint8Array): Buffer => Buffer.from(pem);

function asConnectionError({ server, proxy }: Destination, error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const through = proxy === undefined ? "" : ` through the proxy ${proxy.host}`;
  const why = certificateProblems[code] ?? (error instanceof Error ? error.message || code : String(error));
  const lasting = isLasting(code);
  return new ConnectionError(`cannot connect to ${server.origin}${through}: ${why}`, { unsent: true, lasting, cause: error });
}

const unknownAuthority = "its certificate is not signed by an authority that is trusted";
const certificateProblems: Readonly<Record<string, string>> = {
  __proto__: null as never,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  CERT_SIGNATURE_FAILURE: unknownAuthority,
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
};

/** Node's names for what is wrong with a certificate, and OpenSSL's for a key or a certificate that cannot be read, or no TLS at all. */
const isLasting = (code: string): boolean =>
  /^(CERT_|ERR_TLS_CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|ERR_OSSL_)/.test(code) ||
  ["HOSTNAME_MISMATCH", "INVALID_CA", "INVALID_PURPOSE", "PATH_LENGTH_EXCEEDED", "ERR_SSL_WRONG_VERSION_NUMBER"].includes(code);
