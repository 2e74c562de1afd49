import type { SubresourceEffect } from "../handlers/effect.ts";
import type { EffectServices } from "./services.ts";

/** `/status` of all resources that have one: written by the kind's own strategy for it. */
export const status: SubresourceEffect<Pick<EffectServices, "rest">> = {
  on: "*/status",
  answers: "object",
  create:
    ({ rest }) =>
    (ctx) =>
      rest.servePart(ctx, "status"),
};
