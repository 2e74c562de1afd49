import type { HealthCheck } from "@coxswain/apiserver";
import type { StartedServerThreads } from "./start-server-threads.ts";

/** Checks that each thread answers; there is none to ask before they are started. */
export function serverThreadChecks(servers: number, current: () => StartedServerThreads | undefined): readonly HealthCheck[] {
  if (servers < 2) return [];
  const ok = async (): Promise<boolean> => (await current()?.healthy()) ?? true;
  return [
    { name: "servers", only: "healthz", ok },
    { name: "servers-readiness", only: "readyz", ok },
  ];
}
