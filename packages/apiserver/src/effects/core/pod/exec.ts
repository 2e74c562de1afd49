/** `/pods/NAME/exec`: a command in a container. */
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { connectToPod, type StreamServices, streamQuery } from "./connect.ts";

export const podExec: SubresourceEffect<StreamServices> = {
  on: "/pods/exec",
  answers: "connection",
  create: (services) => (ctx) => {
    const query = streamQuery(ctx.query);
    for (const part of ctx.query.getAll("command")) query.append("command", part);
    return connectToPod(services, ctx, { path: "exec", ofContainer: true, query });
  },
};
