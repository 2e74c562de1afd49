import { unauthorized } from "@coxswain/machinery";
import { anonymous } from "../../authentication/authenticator.ts";
import type { Authentication, Authenticator, UserInfo } from "../../contracts/authenticator.ts";
import type { Stage } from "../stage.ts";

/** Finds out who is asking; whoever does not say is `system:anonymous`. @throws unauthorized() */
export const authentication = ({ authenticate }: { readonly authenticate: Authenticator }): Stage => ({
  name: "authentication",
  wrap: (next) => (exchange) => {
    const answer = authenticate(exchange.request);
    if (answer instanceof Promise) {
      return answer.then((known) => {
        exchange.user = userOf(known);
        return next(exchange);
      });
    }
    exchange.user = userOf(answer);
    return next(exchange);
  },
});

function userOf(answer: Authentication): UserInfo {
  switch (answer.kind) {
    case "authenticated":
      return answer.user;
    case "unclaimed":
      return anonymous;
    case "rejected":
      throw unauthorized();
  }
}
