import type { AuditRecord } from "./audit.ts";
import type { UserInfo } from "./authenticator.ts";
import type { HistoryReport } from "./history-report.ts";
import type { HttpRequest } from "./http.ts";
import type { RequestInfo } from "./request-info.ts";

/** What every stage after the first knows of a request. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly query: URLSearchParams;
  readonly body: Uint8Array;
  readonly info: RequestInfo;
  /** What is asked about the past, of what `info` names; undefined where the request is about the present. */
  readonly history?: HistoryReport | undefined;
  readonly user: UserInfo;
  readonly requestId: string;
  /** Texts for the Warning header; they go out with errors too. */
  readonly warnings: string[];
  /** Undefined where the request is not audited. */
  readonly audit?: AuditRecord | undefined;
}
