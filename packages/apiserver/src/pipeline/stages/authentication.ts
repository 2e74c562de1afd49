import { unauthorized } from "@coxswain/machinery";
import { anonymousRequests } from "../../authentication/anonymous.ts";
import { anonymous } from "../../authentication/authenticator.ts";
import type { AnonymousAuth } from "../../contracts/anonymous.ts";
import type { Authentication, Authenticator, UserInfo } from "../../contracts/authenticator.ts";
import type { HttpRequest } from "../../contracts/http.ts";
import type { Log } from "../../contracts/log.ts";
import type { Stage } from "../stage.ts";

export interface AuthenticationStageOptions {
  readonly authenticate: Authenticator;
  /** Default: every request without credentials is of `system:anonymous`. */
  readonly anonymous?: AnonymousAuth | undefined;
  readonly log: Pick<Log, "debug">;
}

/** Finds out who is asking; who does not say is `system:anonymous` where that is allowed. @throws unauthorized() */
export function authentication({ authenticate, anonymous: allowed = { enabled: true }, log }: AuthenticationStageOptions): Stage {
  const mayBeAnonymous = anonymousRequests(allowed);
  const userOf = (answer: Authentication, request: HttpRequest): UserInfo => {
    switch (answer.kind) {
      case "authenticated":
        return answer.user;
      case "unclaimed":
        if (mayBeAnonymous(request)) return anonymous;
        throw unauthorized();
      case "rejected":
        // Clients are not told: that would help those who guess.
        log.debug({ reason: answer.reason, path: request.path }, "failed to authenticate a request");
        throw unauthorized();
    }
  };
  return {
    name: "authentication",
    wrap: (next) => (exchange) => {
      const answer = authenticate(exchange.request);
      if (answer instanceof Promise) {
        return answer.then((known) => {
          exchange.user = userOf(known, exchange.request);
          return next(exchange);
        });
      }
      exchange.user = userOf(answer, exchange.request);
      return next(exchange);
    },
  };
}
