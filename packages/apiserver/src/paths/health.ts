/** Health endpoints, with their checks one by one. @see https://kubernetes.io/docs/reference/using-api/health-checks/ */
import { type Reply, textReply } from "../http/exchange.ts";

export type Endpoint = "healthz" | "livez" | "readyz";

export interface HealthCheck {
  readonly name: string;
  /** Empty for all three. */
  readonly only?: Endpoint;
  /** Whether all is well; false fails the endpoint. */
  readonly ok: () => boolean | Promise<boolean>;
}

export interface Health {
  serve(endpoint: Endpoint, rest: readonly string[], query: URLSearchParams): Promise<Reply>;
}

export const createHealth = (checks: readonly HealthCheck[]): Health => ({
  async serve(endpoint, rest, query) {
    const applicable = checks.filter(({ only }) => only === undefined || only === endpoint);
    const named = rest.join("/");
    if (named !== "") {
      const check = applicable.find(({ name }) => name === named);
      if (check === undefined) return textReply(404, "404 page not found\n");
      return (await check.ok()) ? textReply(200, "ok") : textReply(500, `internal server error: ${named} failed: reason withheld\n`);
    }
    return report(endpoint, applicable, query);
  },
});

async function report(endpoint: Endpoint, checks: readonly HealthCheck[], query: URLSearchParams): Promise<Reply> {
  const excluded = new Set(query.getAll("exclude"));
  const lines: string[] = [];
  let failed = false;
  for (const { name, ok } of checks) {
    if (excluded.delete(name)) lines.push(`[+]${name} excluded: ok`);
    else if (await ok()) lines.push(`[+]${name} ok`);
    else {
      failed = true;
      lines.push(`[-]${name} failed: reason withheld`);
    }
  }
  if (excluded.size > 0)
    lines.push(`warn: some health checks cannot be excluded: no matches for ${[...excluded].map((n) => `"${n}"`).join(", ")}`);
  if (failed) return textReply(500, `${lines.join("\n")}\n${endpoint} check failed\n`);
  return query.has("verbose") ? textReply(200, `${lines.join("\n")}\n${endpoint} check passed\n`) : textReply(200, "ok");
}
