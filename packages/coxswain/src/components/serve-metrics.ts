/** Figures and health of a component that has a process of its own, for this machine only unless a host is named. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { metricsContentType } from "@coxswain/machinery";
import { startErrorOf } from "../process/start-error.ts";

export interface ServedMetrics {
  readonly metrics: { text(): string };
  healthy(): { readonly ok: boolean; readonly problems: readonly string[] };
}

/** Port 0 takes any free one. It does not keep the process alive. @throws StartError */
export async function serveMetrics(manager: ServedMetrics, port: number, host = "127.0.0.1"): Promise<{ readonly port: number }> {
  const server = createServer((request, response) => {
    const path = request.url?.split("?", 1)[0];
    const { status, text } = answer(path, manager);
    response.writeHead(status, { "content-type": metricsContentType }).end(text);
  });
  server.unref();
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    throw startErrorOf("cannot serve metrics", error);
  }
  return { port: portOf(server) };
}

function answer(path: string | undefined, manager: ServedMetrics) {
  if (path === "/metrics") return { status: 200, text: manager.metrics.text() };
  if (path !== "/healthz" && path !== "/readyz") return { status: 404, text: "404 page not found\n" };
  const { ok, problems } = manager.healthy();
  return ok ? { status: 200, text: "ok" } : { status: 500, text: `${problems.join("\n")}\n` };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
