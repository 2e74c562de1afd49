/** What other servers say of the groups and versions that APIServices give them, as it becomes a part of the server's own. */
import type { Swagger } from "./v2.ts";

export interface AggregatedOpenApi {
  /** Grows with every change. */
  readonly version: number;
  /** The hashes of their documents below `/openapi/v3/`, by path. */
  readonly paths: ReadonlyMap<string, string>;
  /** The bytes of such a document. @throws serviceUnavailable() */
  v3(path: string, mediaType: string): Promise<Uint8Array>;
  /** The documents of OpenAPI 2.0, with nothing in their paths but what is theirs. Those that do not come are left out. */
  v2(): Promise<readonly Swagger[]>;
}

/** Where no other server serves anything. */
export const noOpenApiAggregated: AggregatedOpenApi = {
  version: 0,
  paths: new Map(),
  v3: () => Promise.reject(new Error("there is no such document")),
  v2: async () => [],
};
