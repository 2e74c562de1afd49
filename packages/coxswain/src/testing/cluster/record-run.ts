/** Writes the run of a test's cluster into a file. Loaded when one is to be written. */
import { makeServiceAccountKey } from "@coxswain/apiserver";
import { createClient } from "@coxswain/client";
import { type Clock, isObject, messageOf, parseJson, systemClock, systemRandom } from "@coxswain/machinery";
import type { StoreSnapshot } from "@coxswain/store";
import manifest from "../../../package.json" with { type: "json" };
import { administrator } from "../../access/users.ts";
import { inProcessTransport } from "../../in-process/in-process-transport.ts";
import type { RecordedFailure, RecordedRef, RecordedRequest } from "../../recording/format.ts";
import { ServerRecording } from "../../recording/server-recording.ts";
import { storeKeyOf } from "../../recording/stored-object.ts";
import { VirtualClock } from "../chance-and-time/virtual-clock.ts";
import { describeRequest } from "../faults/describe-request.ts";
import { startControlPlane } from "./control-plane.ts";
import { lazyCredentials } from "./listening.ts";
import type { LoggedRequest, RunLog } from "./run-log.ts";

/** A run as it was at a moment. */
export interface RunState {
  readonly store: StoreSnapshot;
  /** By the cluster's clock. */
  readonly now: number;
  readonly clock: Clock;
  readonly seed: number;
  readonly log: RunLog;
}

/** What went wrong, and the object that is not as it should be. */
export interface FailureOfRun extends RecordedFailure {
  readonly about?: Pick<RecordedRef, "group" | "resource" | "namespace" | "name">;
}

export interface RunRecordingOptions {
  readonly path: string;
  readonly reason: string;
  readonly failure?: FailureOfRun | undefined;
  readonly withSecrets?: boolean;
}

/** By a server of its own on the same state: the one that was tested may be gone. @throws RecordingError */
export async function recordRun({ store: snapshot, now, clock, seed, log }: RunState, options: RunRecordingOptions): Promise<void> {
  const { path, reason, failure, withSecrets = false } = options;
  await using store = snapshot.open({ clock });
  const admin = administrator(undefined);
  const given = { store, isReadOnly: true, clock, random: systemRandom, users: [admin], credentials: lazyCredentials() };
  const { server, callers } = await startControlPlane({ ...given, serviceAccountKey: makeServiceAccountKey() });
  await using _server = { [Symbol.asyncDispose]: () => server.close() };
  await using client = createClient({ transport: inProcessTransport(server, { user: admin, callers }), clock, random: systemRandom });
  using recording = await ServerRecording.begin({
    ...{ client, path, from: String(store.compacted), withSecrets, scope: { ownNamespace: "default" } },
    facts: {
      ...{ coxswain: manifest.version, made: new Date(systemClock.now()).toISOString(), source: "test", reason, seed },
      time: clock instanceof VirtualClock ? "virtual" : "real",
      ...(failure === undefined ? {} : { failure: withKey(failure) }),
    },
  });
  await recording.catchUp();
  for (const conflict of log.conflicts) recording.write({ kind: "conflict", conflict });
  for (const request of log.requests) recording.write(await recordedRequest(request));
  for (const script of log.scripts)
    for (const { fault, request, at, afterEvents } of script.fired)
      recording.write({
        ...{ kind: "fault", time: Math.floor(at), fault: fault.kind, request: describeRequest(request) },
        ...(afterEvents === undefined ? {} : { afterEvents }),
      });
  recording.end(now);
}

const withKey = ({ about, ...failure }: FailureOfRun): RecordedFailure =>
  about === undefined ? failure : { key: storeKeyOf(about), ...failure };

async function recordedRequest({ at, user, request: { method, path }, status, answer, error }: LoggedRequest): Promise<RecordedRequest> {
  const body = answer === undefined ? {} : await statusIn(answer);
  const message = error === undefined ? body.message : messageOf(error);
  return {
    ...{ kind: "request", time: Math.floor(at), user, method, path: shownPath(path) },
    ...(status === undefined ? {} : { code: status }),
    ...(typeof body.reason === "string" ? { reason: body.reason } : {}),
    ...(typeof message === "string" ? { message } : {}),
  };
}

/** What a refusal says. A client that has read it to its end already, has taken it along. */
async function statusIn(
  answer: Exclude<LoggedRequest["answer"], undefined>,
): Promise<{ readonly reason?: unknown; readonly message?: unknown }> {
  const bytes = await answer.bytes();
  if (answer.headers["content-type"]?.startsWith("application/json") !== true) return {};
  const body = parseJson(bytes);
  return isObject(body) ? body : {};
}

/** Parameters of which each says what is asked, and none what is secret. */
const parameters = new Set([
  ...["fieldManager", "force", "dryRun", "fieldValidation", "labelSelector", "fieldSelector", "limit", "watch", "resourceVersion"],
  ...["resourceVersionMatch", "allowWatchBookmarks", "sendInitialEvents", "timeoutSeconds", "propagationPolicy", "gracePeriodSeconds"],
]);

function shownPath(path: string): string {
  const [pathname = "", query = ""] = path.split("?", 2);
  const shown = [...new URLSearchParams(query)].filter(([name]) => parameters.has(name));
  // Behind a proxy, a path is another server's, and may be a secret.
  const proxy = pathname.indexOf("/proxy/");
  const own = proxy < 0 ? pathname : `${pathname.slice(0, proxy)}/proxy/…`;
  return shown.length === 0 ? own : `${own}?${new URLSearchParams(shown)}`;
}
