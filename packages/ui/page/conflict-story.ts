/** A conflict in words. */
import type { ConflictRecord, ObjectVersion } from "@coxswain/machinery";
import { element } from "./element.ts";
import { whoOf } from "./fights.ts";
import { timeText, verbOf } from "./version-text.ts";

/** Who lost with what they had read, who was faster, as far as that is among these versions, and which fields both wrote. */
export function conflictStory(
  { at, loser, readResourceVersion, behindBy, causes }: ConflictRecord,
  versions: readonly ObjectVersion[],
): HTMLElement {
  const winner = versions.findLast(({ time }) => time !== undefined && time <= at);
  const count = behindBy === undefined || behindBy < 2 ? "" : `, ${behindBy} writes later`;
  return element(
    "article",
    { class: "story" },
    element("h3", {}, `${loser.manager || loser.user}: ${loser.verb} refused at ${timeText(at)}`),
    element("p", {}, readResourceVersion === undefined ? "It named no version." : `It was based on version ${readResourceVersion}.`),
    ...(winner === undefined
      ? []
      : [
          element(
            "p",
            {},
            `By then there was ${winner.resourceVersion}${count}: ${verbOf(winner)} by ${whoOf(winner)} at ${timeText(winner.time)}.`,
          ),
        ]),
    element(
      "ul",
      {},
      ...causes.map(({ field, message = "" }) =>
        element("li", {}, ...(field === undefined ? [] : [element("code", {}, field), " "]), message),
      ),
    ),
  );
}
