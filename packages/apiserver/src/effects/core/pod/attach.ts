/** `/pods/NAME/attach`: the streams of what runs in a container. */
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { connectToPod, type StreamServices, streamQuery } from "./connect.ts";

export const podAttach: SubresourceEffect<StreamServices> = {
  on: "/pods/attach",
  answers: "connection",
  create: (services) => (ctx) => connectToPod(services, ctx, (query) => ({ path: "attach", ofContainer: true, query: streamQuery(query) })),
};
