/** What several servers of a process do for each other. */
import type { UserInfo } from "./authenticator.ts";
import type { HttpRequest, Reply } from "./http.ts";

/** A request about the process, such as for its health: plain data, as it goes from thread to thread. Who asks may do so. */
export interface ProcessRequest extends Pick<HttpRequest, "method" | "path" | "query" | "headers"> {
  readonly user: UserInfo;
  /** Undefined for none. */
  readonly body?: Uint8Array | undefined;
}

/** Another server of the process, as one asks it. */
export interface ProcessPeer {
  /** @throws StatusError */
  serve(request: ProcessRequest): Promise<Reply>;
}
