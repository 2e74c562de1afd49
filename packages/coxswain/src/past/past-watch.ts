/** A watch of a state in which nothing happens any more. */
import type { ServerResponse } from "node:http";
import type { TransportResponse } from "@coxswain/client";
import { type Clock, type KubeObject, parseJson, sleep, stringifyJson } from "@coxswain/machinery";

interface PastWatch {
  /** Of the list that is watched. */
  readonly past: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
}

interface WatchServices {
  readonly send: (path: string, headers: Readonly<Record<string, string>>) => Promise<TransportResponse>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

interface Listed {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: { readonly resourceVersion?: string };
  readonly items?: readonly KubeObject[];
  readonly rows?: readonly unknown[];
}

/**
 * What is there, where the watch asks for that, and then silence, until the client has had enough. Who may not list it gets the refusal
 * of a list.
 */
export async function watchPast(
  { send, clock, signal }: WatchServices,
  { past, query, headers }: PastWatch,
  to: ServerResponse,
): Promise<void> {
  const [path = "", text = ""] = past.split("?", 2);
  const asked = new URLSearchParams(text);
  for (const name of ["timeoutSeconds", "allowWatchBookmarks", "sendInitialEvents", "limit", "continue"]) asked.delete(name);
  const found = await send(`${path}?${asked}`, { ...headers, accept: jsonAlone(headers.accept) });
  const bytes = await found.bytes();
  to.writeHead(found.status, { "content-type": "application/json" });
  if (found.status !== 200) return void to.end(bytes);
  to.flushHeaders();
  for (const event of eventsOf(parseJson(bytes) as Listed, query)) to.write(`${stringifyJson(event)}\n`);
  const seconds = Number(query.get("timeoutSeconds") ?? "");
  if (seconds > 0) await sleep(clock, seconds * 1000, signal).catch(() => undefined);
  else await aborted(signal);
  to.end();
}

/** Of the forms that a client takes, those in JSON: a Table stays one. */
const jsonAlone = (accept = ""): string =>
  accept
    .split(",")
    .filter((form) => form.trim().startsWith("application/json"))
    .join(",") || "application/json";

function* eventsOf(listed: Listed, query: URLSearchParams): Iterable<object> {
  const { kind = "", apiVersion = "", metadata, items = [listed as KubeObject], rows } = listed;
  const bookmark = query.get("sendInitialEvents") === "true";
  const version = query.get("resourceVersion") ?? "";
  if (bookmark || version === "" || version === "0") {
    if (rows !== undefined) for (const row of rows) yield { type: "ADDED", object: { ...listed, rows: [row] } };
    else for (const item of items) yield { type: "ADDED", object: { kind: kind.replace(/List$/, ""), apiVersion, ...item } };
  }
  if (!bookmark) return;
  const annotations = { "k8s.io/initial-events-end": "true" };
  const shown = rows === undefined ? { kind: kind.replace(/List$/, ""), apiVersion } : { kind, apiVersion, rows: [] };
  yield { type: "BOOKMARK", object: { ...shown, metadata: { resourceVersion: metadata?.resourceVersion, annotations } } };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
