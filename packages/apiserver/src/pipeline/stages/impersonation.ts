import { impersonate } from "../../authorization/impersonation/impersonate.ts";
import { wantedUser } from "../../authorization/impersonation/wanted-user.ts";
import type { Authorizer } from "../../contracts/authorizer.ts";
import type { Stage } from "../stage.ts";
import { attributesOf } from "./authorization.ts";

/** Serves a request as the user that its headers name. @throws forbidden(), badRequest() */
export const impersonation = ({ authorize }: { readonly authorize: Authorizer }): Stage => ({
  name: "impersonation",
  wrap: (next) => (exchange) => {
    const wanted = wantedUser(exchange.request);
    if (wanted === undefined) return next(exchange);
    return impersonate(authorize, wanted, attributesOf(exchange)).then((impersonated) => {
      exchange.user = impersonated.user;
      if (exchange.audit !== undefined) exchange.audit.impersonated = impersonated;
      return next(exchange);
    });
  },
});
