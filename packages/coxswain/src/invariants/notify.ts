/** Says that an invariant does not hold: in the log, in metrics, and by an Event about the object. */
import type { ApiServer, Log, Metrics, Violation } from "@coxswain/apiserver";
import { AsyncDisposableStack, type Clock, MetricsRegistry, type RandomSource } from "@coxswain/machinery";
import { reportRefusals } from "../components/report-refusals.ts";
import type { InProcessCallers, InProcessUser } from "../in-process/in-process-callers.ts";
import { inProcessTransport } from "../in-process/in-process-transport.ts";
import { isAboutSecrets } from "./invariants-state.ts";

export interface NotifyOptions {
  readonly server: Pick<ApiServer, "handle">;
  readonly callers: InProcessCallers;
  readonly metrics: Pick<Metrics, "include">;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
}

export interface Notifier extends AsyncDisposable {
  notify(violation: Violation): void;
}

/** As which an API server of Kubernetes asks itself. */
const user: InProcessUser = { name: "system:apiserver", groups: ["system:masters"] };

export async function createNotifier(invariants: readonly string[], options: NotifyOptions): Promise<Notifier> {
  const { server, callers, metrics, clock, random, log } = options;
  const { createClient, createEventRecorder } = await import("@coxswain/client");
  const stack = new AsyncDisposableStack();
  const registry = new MetricsRegistry();
  const counterOf = (invariant: string) =>
    registry.counter("coxswain_invariant_violations_total", "Objects, or sets of them, of which an invariant was found not to hold.", {
      invariant,
    });
  for (const invariant of invariants) counterOf(invariant).add(0);
  stack.use(metrics.include(() => registry.text()));
  const transport = reportRefusals(inProcessTransport(server, { user, callers }), { user: user.name, log });
  const client = stack.use(createClient({ transport, clock, random }));
  const onError = (error: unknown): void => log.warn({ error }, "failed to write an Event about an invariant");
  const recorder = stack.use(createEventRecorder({ client, component: "coxswain", onError }));
  return {
    notify(violation) {
      counterOf(violation.invariant).add();
      logViolation(log, violation);
      const { object } = violation;
      // An Event about an Event could break the invariant again.
      if (object === undefined || object.resource === "events") return;
      const { group, version, kind, namespace, name } = object;
      const apiVersion = group === "" ? version : `${group}/${version}`;
      const metadata = {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(violation.uid === undefined ? {} : { uid: violation.uid }),
      };
      recorder.record({ apiVersion, kind, metadata }, { type: "Warning", reason: "InvariantViolated", message: messageOf(violation) });
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function logViolation(log: Log, violation: Violation): void {
  const { invariant, key, revision, note, orEarlier, problem } = violation;
  log.warn(
    {
      ...{ invariant, key, resourceVersion: revision, user: note?.user, manager: note?.manager, requestID: note?.requestId },
      ...(orEarlier ? { orEarlier } : {}),
      ...(isAboutSecrets(violation) ? {} : { problem }),
    },
    "an invariant does not hold",
  );
}

function messageOf(violation: Violation): string {
  const { invariant, problem, revision, note, orEarlier } = violation;
  const said = isAboutSecrets(violation) ? "" : `: ${problem}`;
  const by = note?.user === undefined ? "" : ` by ${note.user}`;
  const since = orEarlier ? `at resourceVersion ${revision} or earlier` : `since resourceVersion ${revision}${by}`;
  return `Invariant ${invariant} does not hold ${since}${said}`;
}
