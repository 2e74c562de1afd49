import type { Reply } from "../../contracts/http.ts";
import { warningHeaders } from "../../responsewriters/warning-headers.ts";
import type { Stage } from "../stage.ts";

/** Answers say under which id the request is in the log and in history, what it is warned of, and how it has taken its turn. */
export const responseHeaders: Stage = {
  name: "response headers",
  finish({ requestId, warnings, flow }, { status, contentType, headers: own, body, closeConnection }): Reply {
    const headers: Record<string, string | readonly string[]> = { "audit-id": requestId };
    if (warnings.length > 0) Object.assign(headers, warningHeaders(warnings));
    if (own !== undefined) Object.assign(headers, own);
    if (flow?.headers !== undefined) Object.assign(headers, flow.headers);
    return closeConnection === undefined ? { status, contentType, headers, body } : { status, contentType, headers, body, closeConnection };
  },
};
