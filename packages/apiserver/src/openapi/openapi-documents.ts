import { builtinTypeFacts, loadDescriptions, type ResourceDefinition, type ResourceRegistry } from "@coxswain/api";
import { stringifyJson } from "@coxswain/machinery";
import { contentHash, contentHashAside, createDocument, type Document } from "../discovery/document.ts";
import { type AggregatedOpenApi, noOpenApiAggregated } from "./aggregated-openapi.ts";
import { encodeInPieces, inPieces } from "./in-pieces.ts";
import { mergeSwaggers } from "./merge-swaggers.ts";
import { isCustom } from "./names.ts";
import { documentPaths, hasDocument, pathsOfDocument } from "./paths.ts";
import type { GroupVersion, SchemaSources } from "./schemas.ts";
import type { Swagger } from "./v2.ts";

/** The media type of OpenAPI v2 as protobuf, as Kubernetes answers with it; it is also asked for without the `@`. */
export const protobufV2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** The same of OpenAPI v3. */
export const protobufV3 = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";

/** How many documents are kept at once: there may be one for each of thousands of groups. */
const maxMade = 256;

/** What the documents say besides what the registry has. */
export interface OpenApiOptions {
  /** What `/version` calls gitVersion; a new one makes clients fetch every document again. */
  readonly version: string;
  /** Default: other servers serve nothing. */
  readonly aggregated?: AggregatedOpenApi;
}

/**
 * The documents of OpenAPI. Each is made when it is first asked for, and again once the resources it describes have
 * changed; until then only the hashes are known, which need no documents.
 */
export class OpenApiDocuments {
  readonly #registry: ResourceRegistry;
  readonly #version: string;
  readonly #others: AggregatedOpenApi;
  readonly #made = new Map<string, { readonly of: string; readonly document: Document }>();
  readonly #making = new Map<string, Promise<Document>>();
  readonly #fingerprints = new WeakMap<ResourceDefinition, string>();
  #sources: Promise<CommonSources> | undefined;

  constructor(registry: ResourceRegistry, options: OpenApiOptions) {
    this.#registry = registry;
    this.#version = options.version;
    this.#others = options.aggregated ?? noOpenApiAggregated;
  }

  /** `/openapi/v3`: where each document is, with its hash. */
  index(): Promise<Document> {
    return this.#once("index", this.#everything(), async () => {
      const common = await this.#common();
      const entries: [string, object][] = [];
      for await (const piece of inPieces(documentPaths(this.#registry), 5)) {
        for (const path of piece) entries.push([path, { serverRelativeURL: `/openapi/v3/${path}?hash=${this.#hash(path, common)}` }]);
      }
      for (const [path, hash] of this.#others.paths) entries.push([path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]);
      // Nothing in Kubernetes says what this is, so that Go's server takes it for text.
      return { ...(await jsonDocument({ paths: Object.fromEntries(entries) }, undefined)), contentType: "text/plain; charset=utf-8" };
    });
  }

  /** The hash that the index gives for a document; undefined when there is none. It is the ETag without its quotes. */
  async hash(path: string): Promise<string | undefined> {
    const other = this.#others.paths.get(path);
    if (other !== undefined) return other;
    return hasDocument(this.#registry, path) ? this.#hash(path, await this.#common()) : undefined;
  }

  /** @param path below `/openapi/v3/`: `api/v1`, `apis/apps`, `apis/apps/v1`, `version` … */
  v3(path: string): Promise<Document | undefined> {
    return this.#other(path, "application/json") ?? this.#v3(path, "v3", async (value, hash) => jsonDocument(value, hash));
  }

  /** The same as protobuf. */
  v3Protobuf(path: string): Promise<Document | undefined> {
    const other = this.#other(path, protobufV3);
    if (other !== undefined) return other;
    return this.#v3(path, "v3 protobuf", async (value, hash) => {
      const { encodeOpenApiV3 } = await import("./gnostic-v3.ts");
      return createDocument(encodeOpenApiV3(value), protobufV3, `"${hash}"`);
    });
  }

  /** Undefined for what this server itself describes. */
  #other(path: string, mediaType: string): Promise<Document> | undefined {
    const hash = this.#others.paths.get(path);
    if (hash === undefined) return undefined;
    const make = async () => createDocument(await this.#others.v3(path, mediaType), mediaType, `"${hash}"`);
    return this.#once(`${mediaType}/${path}`, hash, make);
  }

  async #v3(path: string, form: string, write: (value: object, hash: string) => Promise<Document>): Promise<Document | undefined> {
    const hash = await this.hash(path);
    if (hash === undefined) return undefined;
    return this.#once(`${form}/${path}`, hash, async () => {
      const { openApiV3 } = await import("./v3.ts");
      const own = groupVersionOf(path);
      const sources = await this.#sourcesFor(own === undefined ? [] : [own]);
      return write(await openApiV3(pathsOfDocument(this.#registry, path), sources, this.#version), hash);
    });
  }

  /** `/openapi/v2` as JSON. */
  v2(): Promise<Document> {
    return this.#once("v2", this.#everything(), async () => jsonDocument(await this.#swagger(), undefined));
  }

  /** `/openapi/v2` as protobuf. */
  v2Protobuf(): Promise<Document> {
    return this.#once("v2 protobuf", this.#everything(), async () => {
      const { encodeSwagger } = await import("./gnostic.ts");
      const body = encodeSwagger(await this.#swagger());
      return createDocument(body, protobufV2, `"${contentHash(body)}"`);
    });
  }

  async #swagger(): Promise<Swagger> {
    const { openApiV2 } = await import("./v2.ts");
    const documents = documentPaths(this.#registry);
    const paths = documents.flatMap((path) => pathsOfDocument(this.#registry, path));
    const groupVersions = documents.map(groupVersionOf).filter((own) => own !== undefined);
    const own = await openApiV2(paths, await this.#sourcesFor(groupVersions), this.#version);
    return mergeSwaggers(own, await this.#others.v2());
  }

  async #sourcesFor(groupVersions: readonly GroupVersion[]): Promise<SchemaSources> {
    const { facts, descriptions } = await this.#common();
    const custom = groupVersions
      .flatMap(([group, version]) => this.#registry.resources(group, version))
      .filter((definition) => isCustom(definition));
    return { facts, descriptions, custom, groupVersions };
  }

  /** Changes with the server's version, with the facts of the types and with what the document describes. */
  #hash(path: string, { hash }: CommonSources): string {
    const [group, version] = groupVersionOf(path) ?? [path, ""];
    const described = this.#registry.resources(group, version).map((definition) => this.#fingerprint(definition));
    return contentHash(JSON.stringify([this.#version, hash, path, described]));
  }

  /** What is described of a resource, in short; a definition never changes. */
  #fingerprint(definition: ResourceDefinition): string {
    const known = this.#fingerprints.get(definition);
    if (known !== undefined) return known;
    const { resource, kind, listKind, namespaced, verbs, subresources, schema } = definition;
    const made = contentHash(stringifyJson([resource, kind, listKind, namespaced, [...verbs], [...subresources], schema]));
    this.#fingerprints.set(definition, made);
    return made;
  }

  #common(): Promise<CommonSources> {
    this.#sources ??= loadDescriptions().then((descriptions) => {
      const facts = builtinTypeFacts();
      const hash = contentHash(JSON.stringify([...facts].map(([name, type]) => [name, type, descriptions(name)])));
      return { facts, descriptions, hash };
    });
    return this.#sources;
  }

  #everything(): string {
    return `${this.#registry.version} ${this.#others.version}`;
  }

  /** Whoever asks for what is being made waits for it. */
  #shared(key: string, make: () => Promise<Document>): Promise<Document> {
    const making = this.#making.get(key) ?? make().finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    return making;
  }

  /** Keeps what was asked for last. @param of names what the document is made of: with another name it is made again */
  async #once(key: string, of: string, make: () => Promise<Document>): Promise<Document> {
    const known = this.#made.get(key);
    this.#made.delete(key);
    const document = known?.of === of ? known.document : await this.#shared(`${key} ${of}`, make);
    this.#made.set(key, { of, document });
    const [oldest] = this.#made.keys();
    if (this.#made.size > maxMade && oldest !== undefined) this.#made.delete(oldest);
    return document;
  }
}

interface CommonSources extends Pick<SchemaSources, "facts" | "descriptions"> {
  readonly hash: string;
}

async function jsonDocument(value: object, hash?: string): Promise<Document> {
  const body = await encodeInPieces(value);
  return createDocument(body, "application/json", `"${hash ?? (await contentHashAside(body))}"`);
}

/** Of a document that is for a group and version. */
function groupVersionOf(path: string): GroupVersion | undefined {
  const [root, first, second] = path.split("/");
  if (root === "api" && first !== undefined) return ["", first];
  return first !== undefined && second !== undefined ? [first, second] : undefined;
}
