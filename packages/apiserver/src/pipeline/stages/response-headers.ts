import { warningHeaders } from "../../responsewriters/warning-headers.ts";
import type { Stage } from "../stage.ts";

/** Answers say under which id the request is in the log and in history, and what it is warned of. */
export const responseHeaders: Stage = {
  name: "response headers",
  finish: ({ requestId, warnings }, reply) => ({
    ...reply,
    headers: { "audit-id": requestId, ...warningHeaders(warnings), ...reply.headers },
  }),
};
