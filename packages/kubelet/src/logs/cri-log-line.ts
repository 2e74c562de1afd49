/**
 * A line of a log as runtimes write them: `2026-01-02T03:04:05.123456789Z stdout F text`.
 * @see https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md
 */
import type { LogEntry } from "../runtime/container-streams.ts";

const space = 0x20;
const ascii = new TextDecoder("latin1");

/** Without its line feed. Undefined for what is no such line. */
export function parseCriLogLine(line: Uint8Array): LogEntry | undefined {
  const timeEnd = line.indexOf(space);
  const streamEnd = line.indexOf(space, timeEnd + 1);
  const tagsEnd = line.indexOf(space, streamEnd + 1);
  if (timeEnd <= 0 || streamEnd < 0 || tagsEnd < 0) return undefined;
  const time = ascii.decode(line.subarray(0, timeEnd));
  const stream = ascii.decode(line.subarray(timeEnd + 1, streamEnd));
  if (!timeShape.test(time) || (stream !== "stdout" && stream !== "stderr")) return undefined;
  const [tag] = ascii.decode(line.subarray(streamEnd + 1, tagsEnd)).split(":");
  return { time, stream, partial: tag === "P", content: line.subarray(tagsEnd + 1) };
}

const timeShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** With its line feed. The content must have none. */
export function formatCriLogLine({ time, stream, partial, content }: LogEntry): Uint8Array {
  const head = new TextEncoder().encode(`${time} ${stream} ${partial ? "P" : "F"} `);
  const line = new Uint8Array(head.length + content.length + 1);
  line.set(head);
  line.set(content, head.length);
  line[line.length - 1] = 0x0a;
  return line;
}
