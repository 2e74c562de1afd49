/** What the first of several servers of a process does for the others. */
import type { UserInfo } from "./authenticator.ts";
import type { HttpRequest, Reply } from "./http.ts";

/** A request about the process, such as for its health: plain data, as it goes from thread to thread. Who asks may do so. */
export interface ProcessRequest extends Pick<HttpRequest, "method" | "path" | "query" | "headers"> {
  readonly user: UserInfo;
}

/** The first server, as another one asks it. */
export interface FirstServer {
  /** @throws StatusError */
  serve(request: ProcessRequest): Promise<Reply>;
}
