/** What an HTTP answer that is no success means, in the words of Kubernetes' own client. */
import { goQuote } from "@coxswain/machinery";

export interface WebhookAnswer {
  readonly code: number;
  /** Empty when the header is missing. */
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

export interface AnswerProblem {
  readonly message: string;
  /** Whether it is that of a Status in the body, which speaks for itself. */
  readonly isStatus: boolean;
}

/** Undefined for a success. */
export function answerProblem({ code, contentType, body }: WebhookAnswer): AnswerProblem | undefined {
  if (code >= 200 && code <= 206) {
    if (body.byteLength > 0) return undefined;
    return {
      message: `0-length response with status code: ${code} and content type: ${contentType || "application/json"}`,
      isStatus: false,
    };
  }
  const own = statusMessage(body);
  return own === undefined ? { message: codeProblem(code, saidIn(contentType, body)), isStatus: false } : { message: own, isStatus: true };
}

const maxTextBytes = 2048;

function saidIn(contentType: string, body: Buffer): string {
  return contentType === "" || contentType.startsWith("text/") ? body.toString("utf8", 0, maxTextBytes).trim() : "unknown";
}

function statusMessage(body: Buffer): string | undefined {
  if (body[0] !== 0x7b) return undefined;
  try {
    const { kind, apiVersion, status, message } = JSON.parse(body.toString("utf8")) as Readonly<Record<string, unknown>>;
    return kind === "Status" && apiVersion === "v1" && status !== "Success" && typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

function codeProblem(code: number, said: string): string {
  const known = problems[code];
  if (known !== undefined) return known;
  if (code === 403 || code === 415) return said;
  if (code === 406) return said === "" || said === "unknown" ? unsupportedAnswer : said;
  if (code >= 500) return `an error on the server (${goQuote(said)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}

const unsupportedAnswer = "the server was unable to respond with a content type that the client supports";

const problems: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** Milliseconds to wait before the webhook may be asked again, where it says so. */
export function retryDelayOf({ code, retryAfter }: WebhookAnswer): number | undefined {
  if ((code !== 429 && code < 500) || retryAfter === undefined || !/^\d{1,6}$/.test(retryAfter)) return undefined;
  return Number(retryAfter) * 1000;
}
