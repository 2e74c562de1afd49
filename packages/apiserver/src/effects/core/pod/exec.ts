/** `/pods/NAME/exec`: a command in a container. */
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { connectToPod, type StreamServices, streamQuery } from "./connect.ts";

export const podExec: SubresourceEffect<StreamServices> = {
  on: "/pods/exec",
  answers: "connection",
  create: (services) => (ctx) =>
    connectToPod(services, ctx, (asked) => {
      const query = streamQuery(asked);
      for (const part of asked.getAll("command")) query.append("command", part);
      return { path: "exec", ofContainer: true, query };
    }),
};
