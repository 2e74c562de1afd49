/** `/pods/NAME/portforward`: connections to ports of a Pod. */
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { connectToPod, type StreamServices } from "./connect.ts";

export const podPortForward: SubresourceEffect<StreamServices> = {
  on: "/pods/portforward",
  answers: "connection",
  create: (services) => (ctx) => {
    const ports = ctx.query.getAll("ports").join(",");
    const query = new URLSearchParams(ctx.query.has("ports") ? { port: ports } : {});
    return connectToPod(services, ctx, { path: "portForward", ofContainer: false, query });
  },
};
