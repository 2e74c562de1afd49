/** Says of hot loops what people need to end them: in the log, as Events and as a metric. */

import { type Clock, DisposableStack, type MetricsRegistry } from "@coxswain/machinery";
import type { ControllerLog } from "../contracts/controller-log.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { Informer } from "../informer/informer.ts";
import { type HotLoop, hotLoopDetector } from "./hot-loop-detector.ts";

export interface HotLoopReporting {
  readonly informers: Iterable<Informer>;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly metrics: MetricsRegistry;
  readonly log: ControllerLog;
}

/** Written often by their nature. */
const busy = new Set(["leases", "events"]);

/** Until disposed. */
export function reportHotLoops({ informers, clock, events, metrics, log }: HotLoopReporting): Disposable {
  using stack = new DisposableStack();
  for (const informer of new Set(informers)) {
    const { ref } = informer;
    if (busy.has(ref.resource)) continue;
    const labels = { group: ref.group, resource: ref.resource };
    const count = metrics.counter("controller_hot_loops_total", "Objects found to be written again and again in vain", labels);
    const onHotLoop = (loop: HotLoop): void => {
      const { namespace, name } = loop.object.metadata ?? {};
      const { writers, field, writes, withinMs } = loop;
      count.add();
      log.warn(
        { resource: ref.resource, namespace, name, writers, field, writes, withinMs },
        "hot loop: an object is written again and again without progress",
      );
      events.record(loop.object, { type: "Warning", reason: "HotLoop", message: describe(loop) }, ref);
    };
    stack.use(informer.subscribe(hotLoopDetector({ clock, onHotLoop })));
  }
  return stack.move();
}

function describe({ writers, field, writes, withinMs }: HotLoop): string {
  const who = writers.length === 0 ? "somebody" : writers.join(" and ");
  const often = `${writes} writes within ${withinMs / 1000} s`;
  if (field === undefined) return `${who} writes what is there already: ${often}`;
  return writers.length > 1 ? `${who} fight over ${field}: ${often}` : `${who} changes ${field} back and forth: ${often}`;
}
