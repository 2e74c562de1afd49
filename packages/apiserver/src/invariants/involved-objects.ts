/** Which objects break an invariant of many together: of those that there are, as few as do. */
import type { ObjectName } from "@coxswain/machinery";
import type { FindingParts } from "../contracts/invariant.ts";

/** Evaluations that it takes at most; nobody waits for them, but others have their turns in between. */
const maxEvaluations = 200;

/**
 * What is left when all is taken away, a half, a quarter and so on at a time, without which it does not hold either; the object that was written stays. Undefined
 * where that takes too many evaluations; empty where it is broken by what is not there.
 */
export async function involvedObjects(
  { objects, holdsWithout }: FindingParts,
  isWritten: (object: ObjectName) => boolean,
  yieldTurn: () => Promise<void>,
): Promise<readonly ObjectName[] | undefined> {
  let left = objects.filter((object) => !isWritten(object));
  const gone = new Set<ObjectName>();
  let evaluations = 0;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < left.length; ) {
      const chunk = left.slice(at, at + size);
      if (++evaluations > maxEvaluations) return undefined;
      await yieldTurn();
      if (await holdsWithout(new Set([...gone, ...chunk]))) at += size;
      else {
        for (const object of chunk) gone.add(object);
        left = left.filter((object) => !gone.has(object));
      }
    }
  }
  return left;
}
