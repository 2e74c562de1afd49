/** The ports of a server. */
import { type AddressInfo, isIPv6 } from "node:net";
import { type Clock, sleep } from "@coxswain/machinery";
import type { ContentProvider } from "../contracts/content-provider.ts";
import type { HttpHandler } from "../contracts/http.ts";
import type { Log } from "../contracts/log.ts";
import type { ServingOptions } from "../contracts/serving-options.ts";
import type { ConnectionLimits } from "../http/limits.ts";
import type { Listener } from "../http/listener.ts";
import type { ServerAuthentication } from "./create-authentication.ts";
import { isLongRunningRequest, timedOut } from "./request-timeout.ts";

export interface ListenersOptions {
  readonly tls: ContentProvider<{ readonly cert: string | Uint8Array; readonly key: string | Uint8Array }>;
  /** Whose signatures on clients' certificates count. */
  readonly authentication: Pick<ServerAuthentication, "handshakeAuthorities" | "onChange">;
  readonly handler: HttpHandler;
  readonly limits: Partial<ConnectionLimits> | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

interface LimitsAsked {
  readonly serving?: ServingOptions | undefined;
  readonly limits?: Partial<ConnectionLimits>;
}

/** What of the server's options bounds connections. */
export const limitsOf = ({ serving = {}, limits }: LimitsAsked): Partial<ConnectionLimits> => ({
  ...(serving.requestTimeoutMs === undefined ? {} : { requestMs: serving.requestTimeoutMs }),
  ...(serving.maxStreamsPerConnection === undefined ? {} : { streams: serving.maxStreamsPerConnection }),
  ...limits,
});

/** How long requests under way may take when the server closes. */
export const closeGraceMs = 5_000;

export class Listeners {
  readonly #options: ListenersOptions;
  readonly #listeners: Listener[] = [];
  readonly #followed: readonly Disposable[];
  #isClosing = false;

  constructor(options: ListenersOptions) {
    this.#options = options;
    const { authentication, tls } = options;
    const follow = (): void => {
      for (const listener of this.#listeners) listener.setCredentials(tls.current, authentication.handshakeAuthorities);
    };
    this.#followed = [authentication.onChange(follow), tls.subscribe(follow)];
  }

  get count(): number {
    return this.#listeners.length;
  }

  /** Open ones, on all ports. */
  get connections(): number {
    return this.#listeners.reduce((sum, { connections }) => sum + connections, 0);
  }

  async listen(port: number, address: string, reusePort: boolean): Promise<AddressInfo> {
    const { tls, authentication, handler, limits, clock, log } = this.#options;
    // Servers that are only asked within their process need no HTTP/2.
    const { createListener } = await import("../http/listener.ts");
    const listener = createListener({
      ...tls.current,
      clientAuthorities: authentication.handshakeAuthorities,
      handler,
      clock,
      timedOut,
      isLongRunning: isLongRunningRequest,
      ...(limits === undefined ? {} : { limits }),
      onError: (error) => log.error({ error }, "a connection failed"),
    });
    const bound = await listener.listen(port, address, reusePort);
    this.#listeners.push(listener);
    return bound;
  }

  abandon(): void {
    for (const listener of this.#listeners) listener.abandon();
  }

  /** Takes no further connections and requests; those under way go on. */
  stopAccepting(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    for (const listener of this.#listeners) listener.stopAccepting();
  }

  /** Resolves once all requests are answered that need not go on for ever, or after a time. Milliseconds. */
  async drain(graceMs: number): Promise<void> {
    const done = new AbortController();
    const idle = Promise.all(this.#listeners.map((listener) => listener.idle()));
    const late = sleep(this.#options.clock, graceMs, done.signal).then(
      () => this.#options.log.warn({ graceMs }, "requests are still under way; they are not waited for"),
      () => undefined,
    );
    await Promise.race([idle, late]);
    done.abort();
  }

  /** Lets what is under way finish, for a while. */
  async close(): Promise<void> {
    this.stopAccepting();
    for (const one of this.#followed) one[Symbol.dispose]();
    const closed = new AbortController();
    const grace = (ms: number): Promise<void> => sleep(this.#options.clock, ms, closed.signal).catch(() => undefined);
    await Promise.all(this.#listeners.map((listener) => listener.close(closeGraceMs, grace)));
    closed.abort();
  }
}

/** What clients reach the server at: "any address" is none. */
export function advertisedAddress({ address, port }: AddressInfo, advertised: string | undefined): string {
  const host = address === "0.0.0.0" || address === "::" ? (advertised ?? address) : address;
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
