import { failure, internalError, type Status, StatusError, tooManyRequests } from "@coxswain/machinery";
import { OutcomeUnknownError, OverloadedError, StorageError, TransformError } from "@coxswain/store";
import { NotAuthorizedError } from "../../authorization/forbidden.ts";
import type { Reply } from "../../contracts/http.ts";
import type { Log } from "../../contracts/log.ts";
import { negotiateError } from "../../negotiation/negotiate.ts";
import { replyStatus } from "../../responsewriters/encode.ts";
import type { PipelineExchange, Stage } from "../stage.ts";

/** Makes a Status of every error, in the form that the client wants. */
export const errors = ({ log }: { readonly log: Pick<Log, "error"> }): Stage => ({
  name: "errors",
  recover: (error, exchange) => replyError(error, toStatus(log, error, exchange), exchange),
});

async function replyError(error: unknown, status: Status, { request, query }: PipelineExchange): Promise<Reply> {
  const reply = await replyStatus(status, negotiateError(request, query));
  if (error instanceof NotAuthorizedError) return { ...reply, headers: { ...reply.headers, "x-content-type-options": "nosniff" } };
  // As Kubernetes does it: many streams of one connection are cheap for a client that proves nothing, single requests are not.
  return reply.status === 401 && !request.http1 ? { ...reply, closeConnection: true } : reply;
}

/** What the client learns of an error; what it cannot help is logged. */
function toStatus(log: Pick<Log, "error">, error: unknown, { requestId }: PipelineExchange): Status {
  if (error instanceof StatusError) return error.status;
  if (error instanceof TransformError) {
    log.error({ requestId, error }, "failed to encrypt or decrypt a stored value");
    return internalError(error.message).status;
  }
  if (error instanceof OverloadedError) {
    log.error({ requestId, error }, "the store is overloaded");
    return tooManyRequests("Too many requests, please try again later.", 1).status;
  }
  if (error instanceof StorageError || error instanceof OutcomeUnknownError) {
    log.error({ requestId, error }, "the store failed");
    if (error instanceof StorageError && error.isForClients) return failure(500, "", error.message).status;
    // Its own words name files of the server.
    const outcome = error instanceof OutcomeUnknownError ? "it is not known whether the write took effect" : "nothing was written";
    return internalError(`the storage failed, and ${outcome}; the server's log has the details under the request's Audit-Id`).status;
  }
  log.error({ requestId, error }, "a request failed unexpectedly");
  return internalError("the server has an error; its log has the details under the request's Audit-Id").status;
}
