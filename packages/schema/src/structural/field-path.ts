/** Where a walk through a custom object stands. Keys of maps are entries, declared fields are not: errors write them differently. */
import { entryOf, fieldOf, type Path } from "@coxswain/machinery";

export const propertyOf = (parent: Path | undefined, name: string): Path => fieldOf(parent, "", name);

export { entryOf, type Path };

/** As field errors show it: `spec.parts[front].bolts[0]`. */
export function fieldPath(path: Path | undefined, last = ""): string {
  let text = last;
  for (let at = path; at !== undefined; at = at.parent) {
    const step = at.owner === undefined ? `[${at.step}]` : String(at.step);
    text = text === "" || text.startsWith("[") ? step + text : `${step}.${text}`;
  }
  return text;
}
