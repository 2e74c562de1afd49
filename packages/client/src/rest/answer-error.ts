/** Makes an answer other than 2xx into the StatusError that it stands for. */
import { decodeUtf8, goQuote, parseJson, qualifiedResource, type Status, type StatusDetails, StatusError } from "@coxswain/machinery";
import type { TransportResponse } from "../transport/transport.ts";

/** What was asked, for messages. */
export interface RequestSummary {
  readonly method: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
}

/** Proxies answer with pages; a message needs no more of one. */
const maxTextBytes = 2048;

/** The server's own Status where it sent one; otherwise one made of the code, with the text as a cause. */
export async function errorOf(response: TransportResponse, asked: RequestSummary): Promise<StatusError> {
  const body = await response.bytes();
  const status = parseStatus(body);
  const retryAfter = retryAfterSeconds(response);
  if (status === undefined) return new StatusError(statusOfCode(response.status, textOf(response, body), asked, retryAfter));
  const details = retryAfter === undefined ? status.details : { retryAfterSeconds: retryAfter, ...status.details };
  return new StatusError({ ...status, code: status.code ?? response.status, ...(details === undefined ? {} : { details }) });
}

/** Whole seconds; undefined when the header is missing or says something else. */
export function retryAfterSeconds({ headers }: TransportResponse): number | undefined {
  const text = headers["retry-after"];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

export const isFailedStatus = (value: unknown): value is Status =>
  typeof value === "object" &&
  value !== null &&
  "kind" in value &&
  value.kind === "Status" &&
  "status" in value &&
  value.status === "Failure";

function parseStatus(body: Uint8Array): Status | undefined {
  try {
    const value = parseJson(body);
    return isFailedStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf({ headers }: TransportResponse, body: Uint8Array): string {
  const type = headers["content-type"] ?? "text/";
  return type.startsWith("text/") ? decodeUtf8(body.subarray(0, maxTextBytes)).trim() : "unknown";
}

function statusOfCode(code: number, text: string, asked: RequestSummary, retryAfter: number | undefined): Status {
  const { reason, message } = meaningOf(code, text, asked.method);
  const { group = "", resource = "", name = "" } = asked;
  const object = [asked.method.toLowerCase(), qualifiedResource({ group, resource }), ...(name === "" ? [] : [name])].join(" ");
  const details: StatusDetails = {
    ...(name === "" ? {} : { name }),
    ...(group === "" ? {} : { group }),
    ...(resource === "" ? {} : { kind: resource }),
    causes: [{ reason: "UnexpectedServerResponse", message: text }],
    ...(retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }),
  };
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: resource === "" ? message : `${message} (${object})`,
    ...(reason === "" ? {} : { reason }),
    details,
    code,
  };
}

/** The reasons and texts of client-go, for answers that carry none. */
function meaningOf(code: number, text: string, method: string): { readonly reason: string; readonly message: string } {
  switch (code) {
    case 400:
      return { reason: "BadRequest", message: "the server rejected our request for an unknown reason" };
    case 401:
      return { reason: "Unauthorized", message: "the server has asked for the client to provide credentials" };
    case 403:
      return { reason: "Forbidden", message: text };
    case 404:
      return { reason: "NotFound", message: "the server could not find the requested resource" };
    case 405:
      return { reason: "MethodNotAllowed", message: "the server does not allow this method on the requested resource" };
    case 406: {
      const known = text !== "" && text !== "unknown";
      return {
        reason: "NotAcceptable",
        message: known ? text : "the server was unable to respond with a content type that the client supports",
      };
    }
    case 409:
      return { reason: method === "POST" ? "AlreadyExists" : "Conflict", message: "the server reported a conflict" };
    case 415:
      return { reason: "UnsupportedMediaType", message: text };
    case 422:
      return { reason: "Invalid", message: "the server rejected our request due to an error in our request" };
    case 429:
      return { reason: "TooManyRequests", message: "the server has received too many requests and has asked us to try again later" };
    case 503:
      return { reason: "ServiceUnavailable", message: "the server is currently unable to handle the request" };
    case 504:
      return {
        reason: "Timeout",
        message: "the server was unable to return a response in the time allotted, but may still be processing the request",
      };
    default:
      if (code < 500)
        return { reason: "", message: `the server responded with the status code ${code} but did not return more information` };
      return { reason: "InternalError", message: `an error on the server (${goQuote(text)}) has prevented the request from succeeding` };
  }
}
