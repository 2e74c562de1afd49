/** Which of the recorded writers the controller was. */
import type { RecordedWriter } from "../../recording/format.ts";
import type { RunWrite } from "./recorded-run.ts";

export interface ControllerName {
  readonly user?: string | undefined;
  readonly manager?: string | undefined;
}

/** Whose writes are the controller's, and as whom the one under test works. */
export interface RecordedController {
  readonly user: string;
  readonly manager: string;
  isWriter(by: RecordedWriter): boolean;
}

/** It is not clear who the controller was; the message names those who wrote. */
export class UnknownControllerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnknownControllerError";
  }
}

/** @throws UnknownControllerError */
export function recordedController(writes: readonly Pick<RunWrite, "by">[], name: ControllerName): RecordedController {
  const chosen = name.user === undefined && name.manager === undefined ? guessed(writes) : name;
  const isWriter = ({ user = "", manager = "" }: RecordedWriter): boolean =>
    (chosen.user === undefined || isNamed(user, chosen.user)) && (chosen.manager === undefined || manager === chosen.manager);
  const own = writes.filter(({ by }) => isWriter(by));
  if (own.length === 0) throw new UnknownControllerError(`nothing was written by ${describe(chosen)}: ${writersIn(writes)}`);
  const user = most(own.map(({ by }) => by.user ?? "")) ?? "";
  return { user, manager: most(own.flatMap(({ by }) => by.manager ?? [])) ?? user, isWriter };
}

/** Who is neither the administrator nor one of Kubernetes' own, if that is one alone. */
function guessed(writes: readonly Pick<RunWrite, "by">[]): ControllerName {
  const users = new Set(writes.map(({ by }) => by.user ?? "").filter((user) => user !== "" && !usual.test(user)));
  const [user, ...others] = users;
  if (user === undefined || others.length > 0)
    throw new UnknownControllerError(
      `it is not clear who of these was the controller; --as names its user, --manager its field manager: ${writersIn(writes)}`,
    );
  return { user };
}

const usual = /^(?:coxswain-admin|kubernetes-admin|admin|system:(?!serviceaccount:)|system:serviceaccount:kube-system:)/;

const isNamed = (user: string, name: string): boolean =>
  user === name || (user.startsWith("system:serviceaccount:") && user.endsWith(`:${name}`));

const describe = ({ user, manager }: ControllerName): string =>
  [...(user === undefined ? [] : [`user ${user}`]), ...(manager === undefined ? [] : [`manager ${manager}`])].join(" with ");

function writersIn(writes: readonly Pick<RunWrite, "by">[]): string {
  const counts = Map.groupBy(writes, ({ by: { user = "", manager = "" } }) =>
    manager === "" || manager === user ? user : `${user} (${manager})`,
  );
  const names = [...counts].sort(([, a], [, b]) => b.length - a.length).slice(0, maxNamed);
  return names.map(([name, { length }]) => `${name || "unknown"}, ${length} writes`).join("; ") || "nobody wrote anything";
}

const maxNamed = 10;

function most(names: readonly string[]): string | undefined {
  const counts = Map.groupBy(names, (name) => name);
  return [...counts].sort(([, a], [, b]) => b.length - a.length)[0]?.[0];
}
