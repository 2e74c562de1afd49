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
  const write = (name: Name, labels: string, value: number, time?: number): void => {
    const at = time === undefined ? "" : ` ${time}`;
    const some = lines.get(name) ?? [];
    some.push(`${name}${labels} ${value}${at}\n`);
    lines.set(name, some);
  };
  if (summary !== undefined) writeSummary(summary, write);
  for (const name of ["resource_scrape_error", "scrape_error"] as const) write(name, "", summary === undefined ? 1 : 0);
  return families
    .filter(([name]) => lines.has(name))
    .map(
      ([name, type, help]) =>
        `# HELP ${name} [${name === "scrape_error" ? "ALPHA" : "STABLE"}] ${help}\n# TYPE ${name} ${type}\n${lines.get(name)?.join("")}`,
    )
    .join("");
}

function writeSummary({ node, pods }: Summary, write: (name: Name, labels: string, value: number, time?: number) => void): void {
  write("node_cpu_usage_seconds_total", "", node.cpu.usageCoreNanoSeconds / 1e9, node.cpu.time);
  write("node_memory_working_set_bytes", "", node.memory.workingSetBytes, node.memory.time);
  for (const { podRef, containers, cpu, memory } of pods) {
    const whose = `namespace="${podRef.namespace}",pod="${podRef.name}"`;
    for (const one of containers) {
      const labels = `{container="${one.name}",${whose}}`;
      write("container_cpu_usage_seconds_total", labels, one.cpu.usageCoreNanoSeconds / 1e9, one.cpu.time);
      write("container_memory_working_set_bytes", labels, one.memory.workingSetBytes, one.memory.time);
      write("container_start_time_seconds", labels, one.startTime / 1000);
    }
    write("pod_cpu_usage_seconds_total", `{${whose}}`, cpu.usageCoreNanoSeconds / 1e9, cpu.time);
    write("pod_memory_working_set_bytes", `{${whose}}`, memory.workingSetBytes, memory.time);
  }
}
