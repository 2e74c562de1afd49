import { type Clock, unauthorized } from "@coxswain/machinery";
import { anonymousRequests } from "../../authentication/anonymous.ts";
import { anonymous } from "../../authentication/authenticator.ts";
import type { AccessMetrics } from "../../contracts/access-metrics.ts";
import type { AnonymousAuth } from "../../contracts/anonymous.ts";
import type { Authentication, Authenticator, UserInfo } from "../../contracts/authenticator.ts";
import type { HttpRequest } from "../../contracts/http.ts";
import type { Log } from "../../contracts/log.ts";
import type { Stage } from "../stage.ts";

export interface AuthenticationStageOptions {
  readonly authenticate: Authenticator;
  /** Default: every request without credentials is of `system:anonymous`. */
  readonly anonymous?: AnonymousAuth | undefined;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Pick<Log, "debug">;
  readonly metrics: { readonly access: AccessMetrics };
}

/** Finds out who is asking; who does not say is `system:anonymous` where that is allowed. @throws unauthorized() */
export function authentication({ authenticate, anonymous: allowed, clock, log, metrics }: AuthenticationStageOptions): Stage {
  const { access } = metrics;
  const mayBeAnonymous = anonymousRequests(allowed ?? { enabled: true });
  const userOf = (answer: Authentication, request: HttpRequest, startedAt: number): UserInfo => {
    const seconds = (clock.monotonic() - startedAt) / 1000;
    if (answer.kind === "rejected") {
      access.recordNotAuthenticated("error", seconds);
      // Clients are not told: that would help those who guess.
      log.debug({ reason: answer.reason, path: request.path }, "failed to authenticate a request");
      throw unauthorized();
    }
    const user = answer.kind === "authenticated" ? answer.user : mayBeAnonymous(request) ? anonymous : undefined;
    if (user === undefined) {
      access.recordNotAuthenticated("failure", seconds);
      throw unauthorized();
    }
    access.recordAuthenticated(user.name, seconds);
    return user;
  };
  return {
    name: "authentication",
    wrap: (next) => (exchange) => {
      const startedAt = clock.monotonic();
      const answer = authenticate(exchange.request);
      if (answer instanceof Promise) {
        return answer.then((known) => {
          exchange.user = userOf(known, exchange.request, startedAt);
          if (known.kind === "authenticated") exchange.reauthenticate = known.again;
          return next(exchange);
        });
      }
      exchange.user = userOf(answer, exchange.request, startedAt);
      return next(exchange);
    },
  };
}
