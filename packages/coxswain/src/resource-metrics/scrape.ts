/** One sample of what a node and its containers use, from its kubelet. */
import type { Client } from "@coxswain/client";

export interface Sample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Since it was started. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  /** Milliseconds since the epoch; 0 where it is unknown. */
  readonly startedAt: number;
}

export interface NodeSample {
  readonly node: Sample | undefined;
  /** By namespace, Pod and container, with slashes between. */
  readonly containers: ReadonlyMap<string, Sample>;
}

interface Figures {
  at: number;
  cpuSeconds: number | undefined;
  memoryBytes: number | undefined;
  startedAt: number;
}

/** The part of a metric's name that stands for what is measured. */
const pattern = /^(node|container)_(cpu_usage_seconds_total|memory_working_set_bytes|start_time_seconds)(?:\{([^}]*)\})? (\S+)(?: (\d+))?$/;

/** @throws whatever the client does */
export async function scrape(client: Client, node: string, signal: AbortSignal): Promise<NodeSample> {
  const path = `/api/v1/nodes/${encodeURIComponent(node)}/proxy/metrics/resource`;
  const answer = await client.request({ method: "GET", path, headers: { accept: "text/plain" }, signal });
  return parseResourceMetrics(Buffer.from(await answer.bytes()).toString());
}

/** What has no complete figures is left out. */
export function parseResourceMetrics(text: string): NodeSample {
  const found = new Map<string, Figures>();
  for (const line of text.split("\n")) {
    const [, kind, name, labels = "", value, at] = pattern.exec(line) ?? [];
    if (kind === undefined) continue;
    const key = kind === "node" ? "" : containerKey(labels);
    const figures = found.get(key) ?? { at: 0, cpuSeconds: undefined, memoryBytes: undefined, startedAt: 0 };
    found.set(key, figures);
    if (name === "start_time_seconds") figures.startedAt = Number(value) * 1000;
    else if (name === "memory_working_set_bytes") figures.memoryBytes = Number(value);
    else {
      figures.cpuSeconds = Number(value);
      figures.at = Number(at ?? 0);
    }
  }
  const complete = new Map<string, Sample>();
  for (const [key, { at, cpuSeconds, memoryBytes, startedAt }] of found) {
    if (cpuSeconds !== undefined && memoryBytes !== undefined && at > 0) complete.set(key, { at, cpuSeconds, memoryBytes, startedAt });
  }
  const node = complete.get("");
  complete.delete("");
  return { node, containers: complete };
}

function containerKey(labels: string): string {
  const of = (name: string): string => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
  return `${of("namespace")}/${of("pod")}/${of("container")}`;
}
