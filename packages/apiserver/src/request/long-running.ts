import type { RequestInfo } from "../contracts/request-info.ts";

/** Subresources that go on for as long as the client likes. */
const longRunning = new Set(["attach", "exec", "proxy", "log", "portforward"]);

/** Whether a request lasts as long as its client likes: no deadline counts for it. */
export const isLongRunning = (info: RequestInfo): boolean =>
  info.kind === "resource" && (info.verb === "watch" || longRunning.has(info.subresource));
