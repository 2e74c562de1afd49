/** Errors in what an update leaves as it was are tolerated: they become warnings. @see https://kep.k8s.io/4008 */
import { fieldPath, type Path } from "../structural/field-path.ts";
import type { JsonSchema } from "../structural/schema.ts";
import { Correlation } from "../validate/correlation.ts";
import { compileValueSchema } from "../validate/value-schema.ts";

/** Says of a place whether its value, or else the nearest one around it that has an old value, is what it was. */
export type Unchanged = (path: Path | undefined) => boolean;

/** Asked only about places where something is wrong, so it is made when first asked. */
export function unchangedSince(schema: JsonSchema, value: unknown, old: unknown): Unchanged {
  let root: Correlation | undefined;
  return (path) => {
    root ??= new Correlation(compileValueSchema(schema), value, old);
    let at = root;
    for (const { step, owner } of stepsOf(path)) {
      // The version of an object always changes, as both are read at one version.
      if (at === root && owner !== undefined && (step === "apiVersion" || step === "kind")) return false;
      const next = typeof step === "number" ? at.index(step) : at.key(String(step));
      if (next === undefined) break;
      at = next;
    }
    return at.equal;
  };
}

function stepsOf(path: Path | undefined): readonly Path[] {
  const steps: Path[] = [];
  for (let at = path; at !== undefined; at = at.parent) steps.push(at);
  return steps.reverse();
}

/** As errors name a place, or the field of it that a rule is about. The whole object has no name. */
export function placeName(path: Path | undefined, field: string): string {
  const at = fieldPath(path);
  if (field === "") return at === "" ? "<nil>" : at;
  return at === "" ? field : `${at}.${field}`;
}
