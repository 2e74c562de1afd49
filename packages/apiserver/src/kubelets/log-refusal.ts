import { badRequest, failure, goQuote, internalError, type StatusError } from "@coxswain/machinery";

/** What a kubelet answers instead of a log, in the words that Kubernetes has for it. */
export function logRefusal(status: number, text: string, pod: string): StatusError {
  if (status === 500) return internalError(text);
  if (status === 400) return badRequest(text);
  const [reason, message] = known[status] ?? unknown(status, text);
  // Kubernetes leaves the verb of the format unfilled there.
  return failure(status, reason, `${message === "" ? text : message} ( pods/log ${pod})`, { name: pod, kind: "pods/log" });
}

/** An empty text stands for the kubelet's own. */
const known: Readonly<Record<number, readonly [string, string]>> = {
  401: ["Unauthorized", "the server has asked for the client to provide credentials"],
  403: ["Forbidden", ""],
  404: ["NotFound", "the server could not find the requested resource"],
  405: ["MethodNotAllowed", "the server does not allow this method on the requested resource"],
  422: ["Invalid", "the server rejected our request due to an error in our request"],
  429: ["TooManyRequests", "the server has received too many requests and has asked us to try again later"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: ["Timeout", "the server was unable to return a response in the time allotted, but may still be processing the request"],
};

const unknown = (status: number, text: string): readonly [string, string] =>
  status >= 500
    ? ["InternalError", `an error on the server (${goQuote(text)}) has prevented the request from succeeding`]
    : ["", `the server responded with the status code ${status} but did not return more information`];
