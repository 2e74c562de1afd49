/** Asks everything as everybody, and collects what differs from the rules and from what Kubernetes has answered. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Case, cases, refusalOf } from "./cases.ts";
import { type Answer, Requests } from "./requests.ts";
import type { Subject } from "./world.ts";

export interface Outcome {
  /** `200`, or `403 pods is forbidden: …`, by `USER METHOD PATH`. */
  readonly answers: ReadonlyMap<string, string>;
  readonly allowed: number;
  /** A sentence for each case that was answered otherwise than the rules say. */
  readonly differences: readonly string[];
}

export async function runCases(server: string, subjects: readonly Subject[]): Promise<Outcome> {
  const answers = new Map<string, string>();
  const differences: string[] = [];
  let allowed = 0;
  for (const subject of subjects) {
    const requests = new Requests(server, subject.credentials);
    for (const one of cases()) {
      const answer = await requests.send(one.method, one.path, one.body);
      const name = `${subject.user} ${one.method} ${one.path}`;
      const wrong = againstRules(subject, one, answer);
      if (wrong !== undefined) differences.push(`${name}: ${answer.status} ${answer.message}; expected: ${wrong}`);
      answers.set(name, textOf(answer));
      if (answer.status !== 403 && answer.status !== 401) allowed++;
    }
    requests.close();
  }
  return { answers, allowed, differences };
}

/** What was expected, where it is known and something else came. */
function againstRules({ user, bound }: Subject, one: Case, { status, message }: Answer): string | undefined {
  if (bound === undefined || one.isRecorded === true) return undefined;
  const expected = refusalOf(user, bound, one);
  // Whatever else is wrong with the request, it got past authentication and authorization.
  return (status === 403 ? message : undefined) === expected && status !== 401 ? undefined : (expected ?? "allowed");
}

const textOf = ({ status, message }: Answer): string =>
  status === 401 || status === 403 ? `${status} ${inOrder(message)}` : String(status);

/** Kubernetes lists the problems of bindings in the order of a map of Go's, another one each time. */
const inOrder = (message: string): string =>
  message.replace(/RBAC: \[(.*)\]$/, (_, problems: string) => `RBAC: [${problems.split(", ").sort().join(", ")}]`);

export const recordFile = join(import.meta.dirname, "answers.json");

/** A sentence for each answer that is not what Kubernetes 1.36.3 answered to the same. */
export function compareWithRecord(answers: ReadonlyMap<string, string>): readonly string[] {
  const recorded: Readonly<Record<string, string>> = JSON.parse(readFileSync(recordFile, "utf8"));
  return [...answers].flatMap(([name, text]) => (text === recorded[name] ? [] : [`${name}: ${text}; Kubernetes: ${recorded[name]}`]));
}
