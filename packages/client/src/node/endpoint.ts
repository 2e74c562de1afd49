/** Where a connection goes, and the wait until it is there. */
import type { Socket } from "node:net";

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

const defaultPorts: Readonly<Record<string, number>> = { __proto__: null as never, "https:": 443, "socks5:": 1080, "socks5h:": 1080 };

export const endpoint = (url: URL): Endpoint => ({
  host: url.hostname.replace(/^\[|\]$/g, ""),
  port: url.port === "" ? (defaultPorts[url.protocol] ?? 80) : Number(url.port),
});

/** Waits for the event; destroys the socket when it does not come. */
export function connected<S extends Socket>(socket: S, event: "connect" | "secureConnect", signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown): void => {
      socket.off(event, onConnected).off("error", settle).off("close", onClose);
      signal.removeEventListener("abort", onAbort);
      if (error === undefined) resolve(socket);
      else {
        socket.on("error", () => undefined).destroy();
        reject(error);
      }
    };
    const onConnected = (): void => settle();
    const onClose = (): void => settle(new Error("the peer closed the connection"));
    const onAbort = (): void => settle(signal.reason);
    socket.once(event, onConnected).once("error", settle).once("close", onClose);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
