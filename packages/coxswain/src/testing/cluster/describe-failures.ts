/** Failing reconciles as a test's error shows them. */
import { loggedError, type ReconcileFailure } from "@coxswain/client";
import { qualifiedResource } from "@coxswain/machinery";

const maxListed = 5;

/** A heading and a paragraph for each of the latest; no lines when there are none. */
export function describeFailures(failures: readonly ReconcileFailure[]): readonly string[] {
  if (failures.length === 0) return [];
  const more = failures.length > maxListed ? [`  and ${failures.length - maxListed} more`] : [];
  return ["Reconciles that fail:", ...failures.slice(0, maxListed).map(describe), ...more];
}

function describe({ controller, resource, object, attempts, retried, error }: ReconcileFailure): string {
  const name = object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;
  const tries = attempts === 1 ? "failed once" : `failed ${attempts} times in a row`;
  const head = `  controller "${controller}", ${qualifiedResource(resource)} ${name}: ${tries}${retried ? "" : ", not retried"}: `;
  return head + textOf(error).replaceAll("\n", "\n    ");
}

/** Of a mistake in a program the stack too, down to where the program called the library. */
function textOf(error: unknown): string {
  const logged = loggedError(error);
  if (!(logged instanceof Error)) return String(logged);
  const lines = (logged.stack ?? String(logged)).split("\n");
  const first = lines.findIndex((line) => line.startsWith("    at "));
  return first < 0 ? lines.join("\n") : lines.slice(0, first + 3).join("\n");
}
