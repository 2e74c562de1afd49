import type { AuditRecord } from "./audit.ts";
import type { UserInfo } from "./authenticator.ts";
import type { HttpRequest, Reply } from "./http.ts";
import type { Representation } from "./representation.ts";
import type { ResourceRequest } from "./request-info.ts";
import type { ServedResource } from "./served-resource.ts";

/** One request on a resource, authenticated and authorised. */
export interface RequestContext {
  readonly request: HttpRequest;
  readonly query: URLSearchParams;
  readonly body: Uint8Array;
  readonly info: ResourceRequest;
  readonly resource: ServedResource;
  readonly representation: Representation;
  readonly user: UserInfo;
  readonly requestId: string;
  /** Texts for the Warning header, in order; repeats are dropped when sent. */
  readonly warnings: string[];
  /** Undefined where the request is not audited. */
  readonly audit?: AuditRecord | undefined;
  /** Bytes of the largest object, as stored, that this thread should work on for this request. */
  readonly maxBytes: number;
}

/** Answers one request on a resource. */
export type RequestHandler = (ctx: RequestContext) => Promise<Reply>;
