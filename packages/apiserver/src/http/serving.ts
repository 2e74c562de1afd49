import type { HttpHandler, HttpRequest, Reply } from "../contracts/http.ts";
import type { ClientCertificates } from "./client-certificates.ts";
import type { Deadlines } from "./deadlines.ts";

/** What every request on a port is served with. */
export interface Serving {
  readonly handler: HttpHandler;
  readonly timedOut: () => Reply;
  /** Whether it may take as long as it likes: asked when its time would be over. */
  readonly isLongRunning: (request: HttpRequest) => boolean;
  /** For every answer but watches. */
  readonly deadlines: Deadlines;
  /** For clients and peers that are to read the end of what has no end of its own. */
  readonly endings: Deadlines;
  /** How long to wait for a refused client to stop sending: if it is cut off while it sends, it never reads why. */
  readonly linger: Deadlines;
  readonly certificates: ClientCertificates;
  /** Whether the port is being closed. */
  readonly closing: boolean;
}
