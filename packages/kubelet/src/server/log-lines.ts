/** What of a log is shown, and how. */
import { parseTime } from "@coxswain/machinery";
import type { LogEntry } from "../runtime/container-streams.ts";
import { ServerError } from "./answer.ts";

export interface LogQuery {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  readonly since: Moment | undefined;
  readonly stream: "stdout" | "stderr" | undefined;
}

/** `now` in milliseconds since the epoch. @throws ServerError */
export function parseLogQuery(query: URLSearchParams, now: number): LogQuery {
  const sinceSeconds = numberIn(query, "sinceSeconds", 1);
  const sinceTime = query.get("sinceTime") || undefined;
  if (sinceSeconds !== undefined && sinceTime !== undefined) throw invalidRequest();
  const since = sinceTime === undefined ? undefined : momentOf(sinceTime);
  if (sinceTime !== undefined && since === undefined) throw new ServerError(400, '{"message": "Unable to decode query."}');
  return {
    follow: flag(query, "follow"),
    previous: flag(query, "previous"),
    timestamps: flag(query, "timestamps"),
    tailLines: query.get("tail") === "all" ? undefined : (numberIn(query, "tail", 0) ?? numberIn(query, "tailLines", 0)),
    limitBytes: numberIn(query, "limitBytes", 1),
    since: since ?? (sinceSeconds === undefined ? undefined : secondsAgo(sinceSeconds, now)),
    stream: streamIn(query),
  };
}

const invalidRequest = (): ServerError => new ServerError(422, '{"message": "Invalid request."}');

const flag = (query: URLSearchParams, name: string): boolean => ["true", "1", "t", "T", "True", "TRUE"].includes(query.get(name) ?? "");

function numberIn(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = query.get(name) ?? "";
  if (text === "") return undefined;
  if (!/^[+-]?\d{1,15}$/.test(text)) throw new ServerError(400, '{"message": "Unable to decode query."}');
  if (Number(text) < least) throw invalidRequest();
  return Number(text);
}

function streamIn(query: URLSearchParams): LogQuery["stream"] {
  switch (query.get("stream") ?? "") {
    case "":
    case "All":
      return undefined;
    case "Stdout":
      return "stdout";
    case "Stderr":
      return "stderr";
    default:
      throw invalidRequest();
  }
}

interface Moment {
  readonly seconds: number;
  readonly nanos: number;
}

/** Undefined for what is no time. */
function momentOf(time: string): Moment | undefined {
  try {
    return parseTime(time);
  } catch {
    return undefined;
  }
}

const isBefore = (time: string, since: Moment): boolean => {
  const { seconds, nanos } = momentOf(time) ?? since;
  return seconds < since.seconds || (seconds === since.seconds && nanos < since.nanos);
};

function secondsAgo(seconds: number, now: number): Moment {
  const ms = now - seconds * 1000;
  return { seconds: Math.floor(ms / 1000), nanos: Math.round((ms - Math.floor(ms / 1000) * 1000) * 1_000_000) };
}

/** With always nine digits, so that lines are as long as their neighbours. */
const fixed = (time: string): string =>
  time.replace(
    /(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/,
    (_, fraction: string | undefined, zone: string) => `.${(fraction ?? "").padEnd(9, "0").slice(0, 9)}${zone}`,
  );

const lineEnd = Buffer.from("\n");
const nothing = new Uint8Array(0);

/** The bytes that the client gets, an entry at a time; ends at the limit. */
export async function* logBytes(entries: AsyncIterable<LogEntry>, query: LogQuery): AsyncGenerator<Uint8Array, void, undefined> {
  let left = query.limitBytes ?? Number.POSITIVE_INFINITY;
  let lineBegins = true;
  for await (const { time, stream, partial, content } of entries) {
    if (query.since !== undefined && isBefore(time, query.since)) continue;
    if (query.stream !== undefined && query.stream !== stream) continue;
    const prefix = query.timestamps && lineBegins ? Buffer.from(`${fixed(time)} `) : nothing;
    lineBegins = !partial;
    const line = Buffer.concat([prefix, content, partial ? nothing : lineEnd]);
    yield line.length > left ? line.subarray(0, left) : line;
    left -= line.length;
    if (left <= 0) return;
  }
}
