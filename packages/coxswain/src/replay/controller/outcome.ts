/** Whether what went wrong in a recording went wrong again. */
import { deepEqual, isObject, type KubeObject } from "@coxswain/machinery";
import type { RecordedFailure } from "../../recording/format.ts";
import { parseCondition } from "../../testing/cluster/wait-condition.ts";
import { type Fight, fightsIn } from "./fights.ts";
import { editedField, isOfServer, type ObjectEdit } from "./object-edits.ts";
import type { RecordedController } from "./recorded-controller.ts";
import type { RecordedRun, RunWrite } from "./recorded-run.ts";

/** Whether what went wrong has come again. */
export interface ReplayOutcome {
  readonly cameAgain: boolean;
  /** By what that is known, in a sentence. */
  readonly why: string;
}

/** What happened when the other controller ran. */
export interface ReplayedRun {
  /** All that took effect, of others and of the controller. */
  readonly writes: readonly ReplayedWrite[];
  /** As it is in the end; undefined where there is none. */
  objectOf(key: string): KubeObject | undefined;
  readonly isEndless: boolean;
}

export interface ReplayedWrite extends Pick<RunWrite, "key" | "ref" | "operation" | "by" | "time" | "edits"> {
  readonly isController: boolean;
  /** What the write made of the object. */
  readonly object?: KubeObject;
}

/** By the failure that the recording names; else by a fight that is in it; else by what the controller wrote. */
export function outcomeOf(recorded: RecordedRun, controller: RecordedController, replayed: ReplayedRun): ReplayOutcome {
  const { failure } = recorded.header;
  if (replayed.isEndless) return { cameAgain: true, why: "the controller wrote again and again, without an end" };
  const named = failure === undefined ? undefined : byFailure(failure, recorded, replayed);
  return named ?? byFight(recorded, controller, replayed) ?? byWrites(recorded, controller, replayed);
}

function byFailure(
  { key, until, revision }: RecordedFailure,
  recorded: RecordedRun,
  { writes, objectOf }: ReplayedRun,
): ReplayOutcome | undefined {
  const write =
    revision === undefined
      ? undefined
      : recorded.writes.findLast((one) => one.revision === revision && (key === undefined || one.key === key));
  if (write?.object !== undefined) {
    const wrong = lasting(write.object);
    const cameAgain = writes.some((one) => one.key === write.key && one.object !== undefined && deepEqual(lasting(one.object), wrong));
    return { cameAgain, why: `${write.key} ${cameAgain ? "became" : "never became"} what it was at resourceVersion ${revision}` };
  }
  if (key === undefined || until === undefined) return undefined;
  const object = objectOf(key);
  const holds = until === "delete" ? object === undefined : object !== undefined && parseCondition(until)(object);
  return { cameAgain: !holds, why: `${until} ${holds ? "held" : "did not hold"} of ${key} in the end` };
}

function byFight(recorded: RecordedRun, { isWriter }: RecordedController, replayed: ReplayedRun): ReplayOutcome | undefined {
  const own = new Set(recorded.writes.filter(({ by }) => isWriter(by)).map(({ by }) => writerOf(by)));
  const before = fightsOf(recorded.writes).filter(({ writers }) => writers.some((writer) => own.has(writer)));
  const [first] = before.toSorted((a, b) => b.times - a.times);
  if (first === undefined) return undefined;
  const again = fightsOf(replayed.writes).find((fight) => before.some(({ key, field }) => key === fight.key && field === fight.field));
  if (again !== undefined) return { cameAgain: true, why: `${describeFight(again)}, as before` };
  return { cameAgain: false, why: `${describeFight(first)}, and now it was not` };
}

/** Where nothing says what was wrong, the same writes are the same mistake. */
function byWrites({ writes }: RecordedRun, { isWriter }: RecordedController, replayed: ReplayedRun): ReplayOutcome {
  const before = writes.filter(({ by }) => isWriter(by)).map(intentOf);
  const now = replayed.writes.filter(({ isController }) => isController).map(intentOf);
  const cameAgain = deepEqual(before, now);
  return { cameAgain, why: `the controller wrote ${cameAgain ? "the same as" : "something else than"} the recorded one` };
}

/** What a writer meant by a write, without what the server made of it. */
export const intentOf = ({ key, operation, edits }: Pick<RunWrite, "key" | "operation" | "edits">): object => ({
  key,
  operation,
  fields:
    operation === "delete"
      ? []
      : edits.filter((edit) => !isOfServer(edit) && !isTime(edit)).map((edit) => [editedField(edit), edit.to ?? null]),
});

const fightsOf = (writes: readonly Pick<RunWrite, "key" | "by" | "edits">[]): readonly Fight[] =>
  fightsIn(writes.map(({ key, by, edits }) => ({ key, writer: writerOf(by), edits })));

export const writerOf = ({ user = "", manager = "" }: RunWrite["by"]): string =>
  manager === "" || manager === user ? user : `${user} (${manager})`;

export const describeFight = ({ key, field, writers, times }: Fight): string =>
  `${field} of ${key} was set back ${times} times between ${writers.join(" and ")}`;

const timeName = /[tT]ime(?:stamp)?$/;
const isTime = ({ path }: ObjectEdit): boolean => path.some((segment) => typeof segment === "string" && timeName.test(segment));

/** Without what is another with each run. */
function lasting(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((one) => lasting(one));
  if (!isObject(value)) return value;
  const left = name === "metadata" ? ["managedFields", "resourceVersion", "uid", "generation", "creationTimestamp"] : [];
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (left.includes(key) || timeName.test(key) ? [] : [[key, lasting(one, key)]])),
  );
}
