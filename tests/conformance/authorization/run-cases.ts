/** Asks everything as everybody, and collects what differs from the rules. */
import { cases, refusalOf } from "./cases.ts";
import { Requests } from "./requests.ts";
import type { Subject } from "./world.ts";

export interface Outcome {
  readonly asked: number;
  readonly allowed: number;
  /** A sentence for each case that was answered otherwise. */
  readonly differences: readonly string[];
}

export async function runCases(server: string, subjects: readonly Subject[]): Promise<Outcome> {
  const differences: string[] = [];
  let [asked, allowed] = [0, 0];
  for (const subject of subjects) {
    const requests = new Requests(server, subject.credentials);
    for (const one of cases()) {
      const expected = refusalOf(subject, one);
      const { status, message } = await requests.send(one.method, one.path, one.body);
      const refusal = status === 403 ? message : undefined;
      // Whatever else is wrong with the request, it got past authentication and authorization.
      if (refusal !== expected || status === 401)
        differences.push(`${subject.user}: ${one.method} ${one.path}: ${status} ${message}; expected: ${expected ?? "allowed"}`);
      asked++;
      if (status !== 403) allowed++;
    }
    requests.close();
  }
  return { asked, allowed, differences };
}
