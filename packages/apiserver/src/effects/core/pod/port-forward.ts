/** `/pods/NAME/portforward`: connections to ports of a Pod. */
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { connectToPod, type StreamServices } from "./connect.ts";

export const podPortForward: SubresourceEffect<StreamServices> = {
  on: "/pods/portforward",
  answers: "connection",
  create: (services) => (ctx) =>
    connectToPod(services, ctx, (asked) => {
      const ports = asked.getAll("ports").join(",");
      const query = new URLSearchParams(asked.has("ports") ? { port: ports } : {});
      return { path: "portForward", ofContainer: false, query };
    }),
};
