/** Browsers cannot set a header on a WebSocket, so their bearer token comes as one of the subprotocols they offer. */

import type { IncomingRequest } from "../contracts/authenticator.ts";
import { headerOf } from "./exchange.ts";

/** Before the token in base64url without padding. */
export const bearerProtocol = "base64url.bearer.authorization.k8s.io.";

/** Undefined without one; empty when what is there cannot be a token, or when no other subprotocol is offered beside it. */
export function protocolToken(request: IncomingRequest): string | undefined {
  if (headerOf(request, "upgrade")?.toLowerCase() !== "websocket") return undefined;
  const offered = (headerOf(request, "sec-websocket-protocol") ?? "").split(",").map((protocol) => protocol.trim());
  const [token, ...more] = offered.filter((protocol) => protocol.startsWith(bearerProtocol));
  if (token === undefined || token === bearerProtocol) return undefined;
  if (more.length > 0 || offered.length === 1) return "";
  const encoded = token.slice(bearerProtocol.length);
  const decoded = Buffer.from(encoded, "base64url");
  return decoded.toString("base64url") === encoded ? decoded.toString() : "";
}
