/** What is counted about the requests of one kind: same verb, resource, scope. */

import { Histogram } from "@coxswain/machinery";
import type { RequestInfo, ResourceRequest } from "../contracts/request-info.ts";

export interface RequestLabels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: "cluster" | "namespace" | "resource" | "";
  readonly component: "apiserver" | "";
}

/** Seconds; the buckets in which Kubernetes' own alerts and dashboards look. */
const durationBounds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** Bytes. */
const sizeBounds = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

export class RequestSeries {
  readonly labels: RequestLabels;
  /** `All` for requests that are only tried. */
  readonly dryRun: string;
  /** How many answers there were, by status code. */
  readonly codes = new Map<number, number>();
  readonly seconds = new Histogram(durationBounds);
  /** Only of what is read. */
  readonly bytes: Histogram | undefined;
  /** Requests under way that take as long as the client likes. Whoever starts one counts it here, up and down. */
  longRunning = 0;

  constructor(labels: RequestLabels, dryRun: string) {
    this.labels = labels;
    this.dryRun = dryRun;
    this.bytes = labels.verb === "GET" || labels.verb === "LIST" ? new Histogram(sizeBounds) : undefined;
  }

  /** `bytes` is undefined for an answer whose length is not known beforehand. */
  record(code: number, seconds: number, bytes: number | undefined): void {
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
    this.seconds.observe(seconds);
    if (bytes !== undefined) this.bytes?.observe(bytes);
  }
}

const verbs: Readonly<Record<string, string>> = {
  __proto__: null as never,
  get: "GET",
  list: "LIST",
  watch: "WATCH",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
  post: "POST",
  put: "PUT",
};

const connecting: ReadonlySet<string> = new Set(["log", "exec", "portforward", "attach", "proxy"]);
/** Paths that are counted by name; anything else a client may invent is counted together. */
const namedPaths: ReadonlySet<string> = new Set(["healthz", "livez", "readyz", "version", "metrics", "openapi", "api", "apis"]);

/** `apply` marks a server-side apply, which Kubernetes counts as a verb of its own. */
export function requestLabels(info: RequestInfo, apply: boolean): RequestLabels {
  if (info.kind === "path") {
    const [first = ""] = info.segments;
    const subresource = namedPaths.has(first) ? `/${first}` : "";
    return { verb: verbs[info.verb] ?? "other", group: "", version: "", resource: "", subresource, scope: "", component: "" };
  }
  const { group, version, resource, subresource } = info;
  return { verb: verbOf(info, apply), group, version, resource, subresource, scope: scopeOf(info), component: "apiserver" };
}

function verbOf(info: ResourceRequest, apply: boolean): string {
  if (connecting.has(info.subresource)) return "CONNECT";
  return apply ? "APPLY" : (verbs[info.verb] ?? "other");
}

function scopeOf({ name, namespace, verb }: ResourceRequest): RequestLabels["scope"] {
  if (name !== "" || verb === "create") return "resource";
  return namespace === "" ? "cluster" : "namespace";
}
