import { type Clock, internalError, isObject, type Status, StatusError } from "@coxswain/machinery";
import { OutcomeUnknownError, StorageError, TransformError } from "@coxswain/store";
import { AuditEventWriter, type AuditedRequest, type AuditedResponse } from "../../audit/event.ts";
import { withoutManagedFields } from "../../audit/managed-fields.ts";
import type { AuditConfig, AuditOptions, AuditRecord, AuditStage } from "../../contracts/audit.ts";
import type { UserInfo } from "../../contracts/authenticator.ts";
import type { Reply } from "../../contracts/http.ts";
import type { AuditSeries } from "../../metrics/audit.ts";
import { isLongRunning } from "../../request/long-running.ts";
import { notParsed, type PipelineExchange, type Stage } from "../stage.ts";
import { attributesOf } from "./authorization.ts";

export interface AuditStageOptions extends AuditOptions {
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly metrics: { readonly audit: AuditSeries };
}

interface StageTools extends AuditStageOptions {
  readonly writer: AuditEventWriter;
}

/** What is kept of an audited request until it is answered. */
interface Audited extends AuditedRequest {
  readonly config: AuditConfig;
  readonly record: AuditRecord;
  /** Whether a fault of the server has ended it. */
  hasFailed: boolean;
}

/**
 * Records requests as the policy wants them: behind authentication, so that those who are refused later are recorded with their names.
 * @throws internalError() where the sink is strict and has not kept that the request came
 */
export function audit(stageOptions: AuditStageOptions): Stage {
  const options: StageTools = { ...stageOptions, writer: new AuditEventWriter() };
  const requests = new WeakMap<PipelineExchange, Audited>();
  const begin = (exchange: PipelineExchange, user: UserInfo | undefined): Audited | undefined => {
    const { policy, clock, metrics } = options;
    const attributes = attributesOf(exchange);
    const config = policy(attributes, user);
    metrics.audit.levels[config.level]++;
    if (config.level === "None") return undefined;
    const { level, omitManagedFields } = config;
    const record: AuditRecord = { level, omitManagedFields, annotations: new Map() };
    const { requestId: id, request } = exchange;
    const receivedAt = clock.now() - (clock.monotonic() - exchange.startedAt);
    return { id, request, config, record, attributes, user, receivedAt, hasFailed: false };
  };
  return {
    name: "audit",
    wrap: (next) => (exchange) => {
      const audited = begin(exchange, exchange.user);
      if (audited === undefined) return next(exchange);
      requests.set(exchange, audited);
      exchange.audit = audited.record;
      const kept = process(options, exchange, audited, { stage: "RequestReceived", response: nothing });
      if (kept === true) return next(exchange);
      const reject = (): never => {
        options.metrics.audit.rejected++;
        exchange.audit = undefined;
        requests.delete(exchange);
        throw internalError("failed to store audit event");
      };
      return kept === false ? reject() : kept.then((isKept) => (isKept ? next(exchange) : reject()));
    },
    recover(error, exchange) {
      const audited = requests.get(exchange);
      if (audited === undefined) return undefined;
      if (error instanceof StatusError) audited.record.status = error.status;
      else audited.hasFailed = !isExpected(error);
      return undefined;
    },
    finish(exchange, reply) {
      const audited = requests.get(exchange);
      if (audited !== undefined) return answered(options, exchange, audited, reply);
      if (reply.status !== 401 || exchange.info === notParsed || exchange.user.name !== "system:anonymous") return reply;
      const refused = begin(exchange, undefined);
      if (refused !== undefined)
        process(options, exchange, refused, {
          stage: "ResponseStarted",
          response: { status: statusOf(refused.record, reply), object: responseObject(refused, exchange, reply) },
        });
      return reply;
    },
  };
}

/** Errors of the storage are answers; all others are what Kubernetes would panic of. */
const isExpected = (error: unknown): boolean =>
  error instanceof TransformError || error instanceof StorageError || error instanceof OutcomeUnknownError;

const nothing: AuditedResponse = { status: undefined, object: undefined };

interface At {
  readonly stage: AuditStage;
  readonly response: AuditedResponse;
}

/** Whether the sink has kept it. */
function process(
  { sink, clock, metrics, writer }: StageTools,
  exchange: PipelineExchange,
  audited: Audited,
  { stage, response }: At,
): boolean | Promise<boolean> {
  const { config, record, receivedAt } = audited;
  if (config.omitStages.has(stage)) return true;
  const at = stage === "RequestReceived" ? receivedAt : receivedAt + (clock.monotonic() - exchange.startedAt);
  metrics.audit.events++;
  return sink.process(writer.write(audited, record, { stage, at, response }), stage);
}

/** What goes on for as long as the client likes is recorded when it starts, and when it ends, even where it ends at once. */
function answered(options: StageTools, exchange: PipelineExchange, audited: Audited, reply: Reply): Reply {
  const { body } = reply;
  const status = statusOf(audited.record, reply);
  const complete = (object: string | undefined): void =>
    void process(options, exchange, audited, { stage: audited.hasFailed ? "Panic" : "ResponseComplete", response: { status, object } });
  switch (body.kind) {
    case "stream":
      process(options, exchange, audited, { stage: "ResponseStarted", response: { status, object: undefined } });
      return {
        ...reply,
        body: {
          ...body,
          start(sink) {
            sink.onClose(() => complete(undefined));
            return body.start(sink);
          },
        },
      };
    case "tunnel":
      process(options, exchange, audited, { stage: "ResponseStarted", response: { status, object: undefined } });
      body.peer.once("close", () => complete(undefined));
      return reply;
    case "chunks": {
      if (audited.config.level !== "RequestResponse" || audited.record.responseObject !== undefined) {
        complete(audited.record.responseObject);
        return reply;
      }
      const bytes = Buffer.concat([...body.chunks]);
      complete(objectOf(audited.record, reply, bytes));
      return { ...reply, body: { kind: "bytes", bytes } };
    }
    case "bytes": {
      const object = responseObject(audited, exchange, reply);
      if (isLongRunning(exchange.info)) process(options, exchange, audited, { stage: "ResponseStarted", response: { status, object } });
      complete(object);
      return reply;
    }
  }
}

/** JSON; undefined where the level is lower, and for documents that are no objects of an API. */
function responseObject({ config, record }: Audited, { info }: PipelineExchange, reply: Reply): string | undefined {
  if (config.level !== "RequestResponse" || reply.body.kind !== "bytes" || reply.status === 406) return undefined;
  if (info.kind === "path" && reply.status < 400 && !objectPaths.has(info.segments[0] ?? "")) return undefined;
  return objectOf(record, reply, reply.body.bytes);
}

const objectPaths = new Set(["api", "apis"]);

const isJson = ({ contentType }: Reply): boolean => contentType.startsWith("application/json");

function objectOf({ responseObject, omitManagedFields }: AuditRecord, reply: Reply, bytes: Uint8Array): string | undefined {
  const json =
    responseObject ?? (isJson(reply) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString().trimEnd() : undefined);
  if (json === undefined) return undefined;
  if (omitManagedFields) return withoutManagedFields(json);
  // An answer for people has lines, which no event may have.
  return json.includes("\n") ? JSON.stringify(JSON.parse(json)) : json;
}

const statusStart = Buffer.from('{"kind":"Status"');

/** The code, and what a Status says besides. */
function statusOf({ status: known }: AuditRecord, reply: Reply): object {
  const { status: code, body } = reply;
  // Kubernetes records nothing else of it.
  if (code === 406) return { metadata: {}, code };
  let given: Partial<Status> | undefined = known;
  if (given === undefined && body.kind === "bytes" && isJson(reply)) {
    const bytes = Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.byteLength);
    if (statusStart.equals(bytes.subarray(0, statusStart.length))) {
      const parsed: unknown = JSON.parse(bytes.toString());
      if (isObject(parsed)) given = parsed as Partial<Status>;
    }
  }
  if (given === undefined) return { metadata: {}, code };
  const { status, message, reason, details } = given;
  return { metadata: {}, status, message: message || undefined, reason: reason || undefined, details, code };
}
