/** Questions to the server, by paths below the page's own, so that a proxy in between does not matter. */
import type {
  ConflictList,
  KubeObject,
  ObjectBlame,
  ObjectHistoryReport,
  RaceList,
  RaceReport,
  RaceRequest,
  Status,
  TimelineObject,
  TimelinePage,
} from "@coxswain/machinery";

/** The page is at `…/coxswain/ui/`. */
const base = new URL("../v1/", document.baseURI);

/** The server has answered with an error: its message. */
export class ServerError extends Error {
  readonly code: number;
  /** Absent where something in between has answered. */
  readonly status: Status | undefined;
  constructor(code: number, message: string, status?: Status) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

async function get<T>(path: string, query: Record<string, string | undefined> = {}, signal?: AbortSignal): Promise<T> {
  const url = new URL(path, base);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  const answer = await fetch(url, { headers: { accept: "application/json" }, ...(signal === undefined ? {} : { signal }) });
  return await answered(answer);
}

async function send<T>(method: "POST" | "DELETE", path: string, body?: object): Promise<T> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }) };
  // One that ends a race may be sent by a page that is left.
  return await answered(await fetch(new URL(path, base), { method, headers, ...json, keepalive: method === "DELETE" }));
}

async function answered<T>(answer: Response): Promise<T> {
  if (answer.ok) return await answer.json();
  // What stands between may answer with something else.
  const status = await answer.json().catch(() => ({}));
  const isStatus = typeof status.message === "string";
  throw new ServerError(answer.status, isStatus ? status.message : answer.statusText, isStatus ? status : undefined);
}

export const races = (): Promise<RaceList> => get("races");

export const beginRace = (request: RaceRequest): Promise<RaceReport> => send("POST", "races", request);

/** With the steps after the one that is known. */
export const actInRace = (race: string, action: string, afterStep: number): Promise<RaceReport> =>
  send("POST", `races/${encodeURIComponent(race)}/steps?after=${afterStep}`, { action });

export const endRace = (race: string): Promise<object> => send("DELETE", `races/${encodeURIComponent(race)}`);

export const timeline = (query: { readonly upTo?: string; readonly after?: string; readonly limit: number }): Promise<TimelinePage> =>
  get("timeline", { ...query, limit: String(query.limit) });

export const conflicts = (): Promise<ConflictList> => get("conflicts");

/** Of the core group's Pods: why each is where it is, or nowhere. */
export const scheduling = (namespace: string, name: string): Promise<object> =>
  get(`scheduling/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`);

export const historyOf = (object: TimelineObject, at?: string, signal?: AbortSignal): Promise<ObjectHistoryReport> =>
  get(`history/${pathOf(object)}`, { at, limit: "200" }, signal);

export const blameOf = (object: TimelineObject, at: string, signal?: AbortSignal): Promise<ObjectBlame> =>
  get(`blame/${pathOf(object)}`, { at }, signal);

export const pastOf = (object: TimelineObject, at: string, signal?: AbortSignal): Promise<KubeObject> =>
  get(`past/${pathOf(object)}`, { at }, signal);

export interface EventObject extends KubeObject {
  readonly involvedObject?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
}

export const events = (): Promise<{ readonly items: readonly EventObject[] }> => get("past/api/v1/events", { limit: "5000" });

/** As in its URL. */
export function pathOf({ group, version, resource, namespace = "", name }: TimelineObject): string {
  const root = group === "" ? `api/${version}` : `apis/${group}/${version}`;
  const folder = namespace === "" ? "" : `namespaces/${encodeURIComponent(namespace)}/`;
  return `${root}/${folder}${resource}/${encodeURIComponent(name)}`;
}
