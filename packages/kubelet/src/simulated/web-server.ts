/** What a simulated container says on its ports: it speaks HTTP/1.1, a request at a time. */
import type { Duplexed } from "../runtime/pod-runtime.ts";
import type { Container } from "./container.ts";
import { Pipe } from "./pipe.ts";
import type { SimulatedRequest, SimulatedResponse } from "./script.ts";

/** As its script says; else that it is there, or that it is not well. */
export function answer({ script, health, status, pod }: Container, request: SimulatedRequest): SimulatedResponse {
  if (health === "unwell") return { status: 500, body: "unwell\n" };
  return script.http?.(request) ?? { status: 200, body: `${status.image} in ${pod.namespace}/${pod.name}\n` };
}

/** A connection of which each request is answered by whoever is well at that time. */
export function connect(port: number, container: Container): Duplexed {
  const readable = new Pipe();
  let received = "";
  const serve = async () => {
    for (let end = received.indexOf("\r\n\r\n"); end >= 0; end = received.indexOf("\r\n\r\n")) {
      const head = received.slice(0, end);
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      if (received.length < end + 4 + length) return;
      received = received.slice(end + 4 + length);
      const [method = "", path = ""] = head.split(" ", 2);
      const { status, body = "", location } = answer(container, { method, path, port });
      await readable.write(new TextEncoder().encode(response(status, method === "HEAD" ? "" : body, location)));
      if (/^connection: *close/im.test(head)) close();
    }
    if (received.length > longestHead) close();
  };
  const closed = new AbortController();
  const close = () => {
    readable.end();
    closed.abort();
  };
  container.ended(closed.signal).then(close, () => undefined);
  return {
    readable,
    async write(chunk) {
      received += new TextDecoder("latin1").decode(chunk);
      await serve();
    },
    end: close,
    [Symbol.dispose]: close,
  };
}

const longestHead = 1024 * 1024;

const response = (status: number, body: string, location: string | undefined): string =>
  `HTTP/1.1 ${status} Simulated\r\ncontent-type: text/plain\r\ncontent-length: ${new TextEncoder().encode(body).length}\r\n` +
  `${location === undefined ? "" : `location: ${location}\r\n`}\r\n${body}`;
