/** The certificates that clients connected with: most have none, and cost nothing but the question. */
import type { Http2Session } from "node:http2";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { ClientCertificate } from "../contracts/http.ts";

export class ClientCertificates {
  readonly #known = new WeakMap<Http2Session | Socket, ClientCertificate>();

  /** Once for each connection. `session` is its HTTP/2 session, if it has one. */
  note(socket: Socket, session?: Http2Session): void {
    if (!(socket instanceof TLSSocket)) return;
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return;
    const problem = socket.authorized ? undefined : String(socket.authorizationError);
    this.#known.set(session ?? socket, { certificate, problem });
  }

  of(connection: Http2Session | Socket | undefined): ClientCertificate | undefined {
    return connection === undefined ? undefined : this.#known.get(connection);
  }
}
