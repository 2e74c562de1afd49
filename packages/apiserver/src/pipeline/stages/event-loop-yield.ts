import type { EventLoop } from "../../storage/event-loop.ts";
import type { Stage } from "../stage.ts";

/** Lets others be served before a request on a resource with a large body. */
export const eventLoopYield = ({ eventLoop }: { readonly eventLoop: EventLoop }): Stage => ({
  name: "event-loop yield",
  wrap: (next) => (exchange) => {
    const pause = exchange.info.kind === "resource" ? eventLoop.yieldFor(exchange.body.byteLength) : undefined;
    return pause === undefined ? next(exchange) : pause.then(() => next(exchange));
  },
});
