/** Cluster DNS beside the API server, as a component of its process. */
import type { ApiServer, Metrics } from "@coxswain/apiserver";
import { type BackgroundComponent, startInBackground } from "../components/start-in-background.ts";
import type { ComponentDependencies } from "../components/start-in-process.ts";
import type { DnsComponentSettings } from "./dns-component.ts";

export interface DnsInBackground extends ComponentDependencies, DnsComponentSettings {
  /** Where its metrics are registered. */
  readonly metrics: Metrics;
}

export function startDnsInBackground(server: Pick<ApiServer, "handle">, options: DnsInBackground): BackgroundComponent {
  const start = async () => {
    const { startDnsInProcess } = await import("./dns-component.ts");
    return startDnsInProcess(server, options, options);
  };
  return startInBackground(start, { name: "dns", ...options });
}
