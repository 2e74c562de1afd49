/** OpenAPI of the servers behind APIServices. */
import { goQuote, isObject, messageOf, serviceUnavailable } from "@coxswain/machinery";
import { contentHash } from "../discovery/document.ts";
import type { AggregatedOpenApi } from "../openapi/aggregated-openapi.ts";
import type { Swagger } from "../openapi/v2.ts";
import type { ApiServiceIndex } from "./api-service-index.ts";
import type { Backend } from "./backend.ts";
import { type DocumentSource, fetchDocument } from "./backend-documents.ts";

/** The identity with which the server reads what everybody may read. */
const user = { name: "system:aggregator", uid: "", groups: [], extra: {} };

const maxBytes = 16 * 1024 * 1024;

interface Known {
  readonly backend: Backend;
  readonly hash: string;
}

export class BackendOpenApi implements AggregatedOpenApi {
  readonly #index: Pick<ApiServiceIndex, "backends" | "find" | "isEmpty">;
  readonly #source: DocumentSource;
  /** By the path of the document. */
  readonly #known = new Map<string, Known>();
  #paths: ReadonlyMap<string, string> = new Map();
  #version = 0;

  constructor(index: Pick<ApiServiceIndex, "backends" | "find" | "isEmpty">, source: DocumentSource) {
    this.#index = index;
    this.#source = source;
  }

  get version(): number {
    return this.#version;
  }

  get paths(): ReadonlyMap<string, string> {
    return this.#paths;
  }

  /** APIServices have changed. */
  changed(): void {
    if (this.#known.size === 0) return;
    for (const [path, { backend }] of this.#known)
      if (this.#index.find(backend.group, backend.version) === undefined) this.#known.delete(path);
    this.#settle();
  }

  /** Reads which documents the server has now. One that has none is not described. */
  async learn(backend: Backend): Promise<void> {
    const path = `apis/${backend.group}/${backend.version}`;
    const request = { path: "/openapi/v3", accept: "application/json", user, maxBytes };
    const { status, body } = await fetchDocument(this.#source, backend, request);
    const hash = status === 200 ? hashOf(body, path) : undefined;
    const known = this.#known.get(path);
    if (known?.hash === hash) return;
    if (hash === undefined) this.#known.delete(path);
    else this.#known.set(path, { backend, hash });
    this.#settle();
  }

  async v3(path: string, mediaType: string): Promise<Uint8Array> {
    const backend = this.#backendAt(path);
    if (backend?.isAvailable !== true) throw serviceUnavailable("service unavailable");
    const document = await fetchDocument(this.#source, backend, { path: `/openapi/v3/${path}`, accept: mediaType, user, maxBytes }).catch(
      (error: unknown) => {
        throw serviceUnavailable(`error trying to reach service: ${messageOf(error)}`);
      },
    );
    if (document.status !== 200) throw serviceUnavailable(`failed to read ${goQuote(path)}: status ${document.status}`);
    return document.body;
  }

  async v2(): Promise<readonly Swagger[]> {
    // One document for all that a server serves.
    const servers = new Map<string, Backend[]>();
    for (const backend of this.#index.backends) {
      const place = JSON.stringify(backend.service);
      if (backend.isAvailable) servers.set(place, [...(servers.get(place) ?? []), backend]);
    }
    const found = await Promise.all([...servers.values()].map((backends) => this.#swaggerOf(backends).catch(() => undefined)));
    return found.filter((swagger) => swagger !== undefined);
  }

  async #swaggerOf(backends: readonly Backend[]): Promise<Swagger | undefined> {
    const [first] = backends;
    if (first === undefined) return undefined;
    const { status, body } = await fetchDocument(this.#source, first, { path: "/openapi/v2", accept: "application/json", user, maxBytes });
    if (status !== 200) return undefined;
    const swagger: unknown = JSON.parse(body.toString());
    if (!isObject(swagger)) return undefined;
    const { paths } = swagger as Swagger;
    const roots = backends.map(({ group, version }) => `/apis/${group}/${version}/`);
    const own = Object.entries(isObject(paths) ? paths : {}).filter(([path]) => roots.some((root) => `${path}/`.startsWith(root)));
    return { ...(swagger as Swagger), paths: Object.fromEntries(own) };
  }

  #backendAt(path: string): Backend | undefined {
    const known = this.#known.get(path);
    return known === undefined ? undefined : this.#index.find(known.backend.group, known.backend.version);
  }

  #settle(): void {
    this.#paths = new Map([...this.#known].map(([path, { hash }]) => [path, hash]));
    this.#version += 1;
  }
}

/** As the server's own index gives it. */
function hashOf(index: Buffer, path: string): string | undefined {
  const parsed: unknown = JSON.parse(index.toString());
  const paths = isObject(parsed) ? (parsed as { readonly paths?: unknown }).paths : undefined;
  const entry = isObject(paths) ? (paths as Readonly<Record<string, unknown>>)[path] : undefined;
  if (!isObject(entry)) return undefined;
  const { serverRelativeURL } = entry as { readonly serverRelativeURL?: unknown };
  const url = typeof serverRelativeURL === "string" ? serverRelativeURL : "";
  const [, hash = ""] = /[?&]hash=([0-9A-Za-z]{1,128})$/.exec(url) ?? [];
  return hash === "" ? contentHash(url) : hash;
}
