/** Health endpoints, with their checks one by one. @see https://kubernetes.io/docs/reference/using-api/health-checks/ */
import { goQuote } from "@coxswain/machinery";
import type { Reply } from "../contracts/http.ts";
import { textReply } from "../http/exchange.ts";

export type Endpoint = "healthz" | "livez" | "readyz";

/** One of the checks behind `/healthz` and its like. */
export interface HealthCheck {
  readonly name: string;
  /** Empty for all three. */
  readonly only?: Endpoint;
  /** Whether all is well; false, or an error, fails the endpoint. */
  readonly ok: () => boolean | Promise<boolean>;
}

const endpoints: readonly Endpoint[] = ["healthz", "livez", "readyz"];

export interface Health {
  /** Every endpoint, and every check of its own. */
  readonly paths: readonly string[];
  serve(endpoint: Endpoint, rest: readonly string[], query: URLSearchParams): Promise<Reply>;
}

export const createHealth = (checks: readonly HealthCheck[]): Health => ({
  paths: endpoints.flatMap((endpoint) => [
    `/${endpoint}`,
    ...checks.filter((check) => appliesTo(check, endpoint)).map(({ name }) => `/${endpoint}/${name}`),
  ]),
  async serve(endpoint, rest, query) {
    const applicable = checks.filter((check) => appliesTo(check, endpoint));
    const named = rest.join("/");
    if (named !== "") {
      const check = applicable.find(({ name }) => name === named);
      if (check === undefined) return textReply(404, "404 page not found\n");
      return (await passes(check)) ? textReply(200, "ok") : textReply(500, `internal server error: ${named} failed: reason withheld\n`);
    }
    return report(endpoint, applicable, query);
  },
});

const appliesTo = ({ only }: HealthCheck, endpoint: Endpoint): boolean => only === undefined || only === endpoint;

async function report(endpoint: Endpoint, checks: readonly HealthCheck[], query: URLSearchParams): Promise<Reply> {
  const excluded = new Set(query.getAll("exclude"));
  // At the same time: each may have to wait.
  const passed = await Promise.all(checks.map((check) => excluded.has(check.name) || passes(check)));
  const lines: string[] = [];
  let failed = false;
  for (const [i, { name }] of checks.entries()) {
    if (excluded.delete(name)) lines.push(`[+]${name} excluded: ok`);
    else if (passed[i] === true) lines.push(`[+]${name} ok`);
    else {
      failed = true;
      lines.push(`[-]${name} failed: reason withheld`);
    }
  }
  if (excluded.size > 0) lines.push(`warn: some health checks cannot be excluded: no matches for ${[...excluded].map(goQuote).join(",")}`);
  if (failed) return textReply(500, `${lines.join("\n")}\n${endpoint} check failed\n`);
  return query.has("verbose") ? textReply(200, `${lines.join("\n")}\n${endpoint} check passed\n`) : textReply(200, "ok");
}

/** Why a check fails belongs in the log of its component: any client may read this. */
async function passes({ ok }: HealthCheck): Promise<boolean> {
  try {
    return await ok();
  } catch {
    return false;
  }
}
