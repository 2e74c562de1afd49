/** What a simulated container has written, computed when it is read. */
import type { LogEntry, LogOptions } from "../runtime/container-streams.ts";
import type { Container } from "./container.ts";

export async function* output(container: Container, options: LogOptions, signal: AbortSignal): AsyncGenerator<LogEntry> {
  const { logs = [], logEveryMs = 0 } = container.script;
  const entry = (line: number): LogEntry => ({
    time: rfc3339(container.status.startedAt + line * logEveryMs),
    stream: "stdout",
    partial: false,
    content: new TextEncoder().encode(logs[line % logs.length]),
  });
  let line = Math.max(0, linesOf(container) - (options.tailLines ?? Number.POSITIVE_INFINITY));
  for (;;) {
    signal.throwIfAborted();
    for (const written = linesOf(container); line < written; line++) yield entry(line);
    if (!options.follow || container.status.state === "exited") return;
    await nextLine(container, line, signal);
  }
}

function linesOf({ script, ranMs, status }: Container): number {
  const { logs = [], logEveryMs = 0, logRepeats = false } = script;
  if (status.startedAt === 0 || logs.length === 0) return 0;
  if (logEveryMs === 0) return logs.length;
  const lines = Math.floor(ranMs / logEveryMs) + 1;
  return logRepeats ? lines : Math.min(logs.length, lines);
}

async function nextLine(container: Container, line: number, signal: AbortSignal): Promise<void> {
  const { logs = [], logEveryMs = 0, logRepeats = false } = container.script;
  const comes = container.isRunning && logEveryMs > 0 && logs.length > 0 && (logRepeats || line < logs.length);
  await container.next(signal, comes ? line * logEveryMs - container.ranMs : Number.POSITIVE_INFINITY);
}

const rfc3339 = (ms: number): string => new Date(ms).toISOString().replace("Z", "000000Z");
