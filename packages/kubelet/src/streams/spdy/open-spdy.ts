/** The client's side of an upgrade to SPDY/3.1. */
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { RuntimeError } from "../../runtime/runtime-error.ts";
import { SpdySession } from "./session.ts";

export interface OpenSpdyOptions {
  /** In the order of preference. */
  readonly protocols: readonly string[];
  readonly signal: AbortSignal;
}

const protocolHeader = "x-stream-protocol-version";
const maxRefusalBytes = 16 * 1024;

/** The session ends when the signal is aborted. @throws RuntimeError, or the signal's reason */
export function openSpdy(url: string, { protocols, signal }: OpenSpdyOptions): Promise<{ session: SpdySession; protocol: string }> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // Loaded when it is needed: with this module Node also makes its fetch, which takes a while.
    const make = url.startsWith("https:") ? httpsRequest : process.getBuiltinModule("node:http").request;
    const request = make(url, {
      method: "POST",
      agent: false,
      signal,
      headers: { connection: "Upgrade", upgrade: "SPDY/3.1", [protocolHeader]: [...protocols], "content-length": 0 },
    });
    request.once("error", (error) =>
      reject(signal.aborted ? signal.reason : new RuntimeError("unavailable", error.message, { cause: error })),
    );
    request.once("response", (response) => void refusal(response).then(reject, reject));
    request.once("upgrade", (response: IncomingMessage, connection: Duplex, head: Buffer) => {
      const session = new SpdySession({ connection, head, side: "client" });
      const onAbort = (): void => session[Symbol.dispose]();
      signal.addEventListener("abort", onAbort, { once: true });
      void session.closed.then(() => signal.removeEventListener("abort", onAbort));
      if (signal.aborted) onAbort();
      resolve({ session, protocol: String(response.headers[protocolHeader] ?? "") });
    });
    request.end();
  });
}

async function refusal(response: IncomingMessage): Promise<RuntimeError> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk;
    if (text.length > maxRefusalBytes) break;
  }
  return new RuntimeError("refused", `unable to upgrade connection: ${text.trim() || `status ${response.statusCode}`}`);
}
