/** What all five servers are: JSON over HTTP, until a signal ends them. */
import { createServer } from "node:http";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

export interface Asked {
  readonly method: string;
  readonly path: string;
  /** Undefined where there is none. */
  readonly body: unknown;
}

/** Undefined is 404. */
export function serve(answer: (asked: Asked) => unknown): void {
  const server = createServer(async (request, response) => {
    const { method = "GET", url: path = "/" } = request;
    try {
      const text = (await request.toArray()).join("");
      const answered =
        path === "/healthz" ? { ok: true } : await answer({ method, path, body: text === "" ? undefined : JSON.parse(text) });
      response.writeHead(answered === undefined ? 404 : 200, { "content-type": "application/json", "x-served-by": hostname() });
      response.end(`${JSON.stringify(answered ?? { error: `there is no ${path}` })}\n`);
    } catch (error) {
      response.writeHead(502, { "content-type": "application/json" }).end(`${JSON.stringify({ error: String(error) })}\n`);
    }
  });
  server.listen(8080);
  // Requests that are under way are answered; Kubernetes sends no new ones.
  process.on("SIGTERM", () => server.close(() => process.exit(0)).closeIdleConnections());
}

/** Of another server, by its name. What refuses a connection has got nothing yet: that is tried again for some time. */
export async function ask<T>(url: string, body?: unknown, signal: AbortSignal = AbortSignal.timeout(5_000)): Promise<T> {
  const answer = await fetch(url, { signal, ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }) }).catch(
    async (error: unknown) => {
      if (!isRefused(error)) throw error;
      await delay(100, undefined, { signal });
    },
  );
  if (answer === undefined) return await ask(url, body, signal);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

const isRefused = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && "code" in error.cause && error.cause.code === "ECONNREFUSED";
