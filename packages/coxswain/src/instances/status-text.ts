/** What `coxswain status` prints. */
import type { Instance } from "./instance.ts";

export interface InstanceStatus extends Instance {
  readonly isReady: boolean;
}

/** `now` in milliseconds since the epoch. */
export function statusText(
  instances: readonly InstanceStatus[],
  { output, now }: { readonly output: "text" | "json"; readonly now: number },
): string {
  if (output === "json")
    return `${JSON.stringify(
      instances.map((instance) => documentOf(instance)),
      undefined,
      2,
    )}\n`;
  if (instances.length === 0) return "No server runs.\n";
  const rows = instances.map((instance) => [
    instance.name,
    conditionOf(instance),
    instance.serving?.server ?? "-",
    String(instance.pid),
    age(now - instance.startedAt),
    instance.dataDir ?? "in memory",
    instance.serving?.kubeconfig ?? "-",
  ]);
  return tableOf([["NAME", "STATUS", "SERVER", "PID", "AGE", "STATE", "KUBECONFIG"], ...rows]);
}

const conditionOf = ({ serving, isReady }: InstanceStatus): string => (serving === undefined ? "Starting" : isReady ? "Ready" : "NotReady");

const documentOf = (instance: InstanceStatus): object => ({
  name: instance.name,
  status: conditionOf(instance),
  pid: instance.pid,
  version: instance.version,
  startedAt: new Date(instance.startedAt).toISOString(),
  ...instance.serving,
  ...(instance.dataDir === undefined ? {} : { dataDir: instance.dataDir }),
});

/** As kubectl shows ages: the largest unit alone. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 48 * 3600 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86400)}d`;
}

export function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("   ")
          .trimEnd()}\n`,
    )
    .join("");
}
