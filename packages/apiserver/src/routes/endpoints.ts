/** `/coxswain/v1/NAME/…` of any method: what another part of the process answers, behind the same authorisation as everything else. */
import type { UserInfo } from "../contracts/authenticator.ts";
import type { HttpRequest, Reply } from "../contracts/http.ts";

/** A request as an endpoint gets it: who asks may do so. */
export interface EndpointRequest extends Pick<HttpRequest, "method" | "headers"> {
  /** What follows the endpoint's name. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly user: UserInfo;
  readonly body: Uint8Array;
}

/** Answers what is asked below its name. @throws StatusError */
export type Endpoint = (request: EndpointRequest) => Promise<Reply>;
