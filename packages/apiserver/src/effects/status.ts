import type { SubresourceEffect } from "../handlers/effect.ts";
import { servePart } from "../handlers/serve-part.ts";

/** `/status` of all resources that have one: written by the kind's own strategy for it. */
export const status: SubresourceEffect = { on: "*/status", answers: "object", create: () => (ctx) => servePart(ctx, "status") };
