/** `/metrics/resource`: processor and memory in Prometheus' text format, as metrics-server reads it. */
import type { Summary } from "./summary.ts";

const families = [
  ["container_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed by the container in core-seconds"],
  ["container_memory_working_set_bytes", "gauge", "Current working set of the container in bytes"],
  ["container_start_time_seconds", "gauge", "Start time of the container since unix epoch in seconds"],
  ["node_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed by the node in core-seconds"],
  ["node_memory_working_set_bytes", "gauge", "Current working set of the node in bytes"],
  ["pod_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed by the pod in core-seconds"],
  ["pod_memory_working_set_bytes", "gauge", "Current working set of the pod in bytes"],
  ["resource_scrape_error", "gauge", "1 if there was an error while getting container metrics, 0 otherwise"],
  ["scrape_error", "gauge", "1 if there was an error while getting container metrics, 0 otherwise"],
] as const;

type Name = (typeof families)[number][0];

/** Without a summary it could not be had. */
export function resourceMetrics(summary: Summary | undefined): string {
  const lines = new Map<Name, string[]>();
  const tell = (name: Name, labels: string, value: number, time?: number): void => {
    const at = time === undefined ? "" : ` ${time}`;
    const some = lines.get(name) ?? [];
    some.push(`${name}${labels} ${value}${at}\n`);
    lines.set(name, some);
  };
  if (summary !== undefined) tellSummary(summary, tell);
  for (const name of ["resource_scrape_error", "scrape_error"] as const) tell(name, "", summary === undefined ? 1 : 0);
  return families
    .filter(([name]) => lines.has(name))
    .map(
      ([name, type, help]) =>
        `# HELP ${name} [${name === "scrape_error" ? "ALPHA" : "STABLE"}] ${help}\n# TYPE ${name} ${type}\n${lines.get(name)?.join("")}`,
    )
    .join("");
}

function tellSummary({ node, pods }: Summary, tell: (name: Name, labels: string, value: number, time?: number) => void): void {
  tell("node_cpu_usage_seconds_total", "", node.cpu.usageCoreNanoSeconds / 1e9, node.cpu.time);
  tell("node_memory_working_set_bytes", "", node.memory.workingSetBytes, node.memory.time);
  for (const { podRef, containers, cpu, memory } of pods) {
    const whose = `namespace="${podRef.namespace}",pod="${podRef.name}"`;
    for (const one of containers) {
      const labels = `{container="${one.name}",${whose}}`;
      tell("container_cpu_usage_seconds_total", labels, one.cpu.usageCoreNanoSeconds / 1e9, one.cpu.time);
      tell("container_memory_working_set_bytes", labels, one.memory.workingSetBytes, one.memory.time);
      tell("container_start_time_seconds", labels, one.startTime / 1000);
    }
    tell("pod_cpu_usage_seconds_total", `{${whose}}`, cpu.usageCoreNanoSeconds / 1e9, cpu.time);
    tell("pod_memory_working_set_bytes", `{${whose}}`, memory.workingSetBytes, memory.time);
  }
}
