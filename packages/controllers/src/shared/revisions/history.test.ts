import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson } from "@coxswain/machinery";
import { inRevisionOrder, nextRevisionNumber } from "./history.ts";
import type { ControllerRevision } from "./revision-data.ts";

const revisions = (...numbers: readonly string[]): ControllerRevision[] =>
  numbers.map((number) => parseJson(new TextEncoder().encode(`{"revision":${number}}`)) as ControllerRevision);

const cases: readonly [of: readonly string[], order: string, next: string][] = [
  [[], "", "1"],
  [["2", "1"], "1 2", "3"],
  [["3546343826724305832", "1", "3546343826724305831"], "1 3546343826724305831 3546343826724305832", "3546343826724305833"],
  [["9007199254740991"], "9007199254740991", "9007199254740992"],
];
for (const [of, order, next] of cases)
  test(`revisions ${of.join(", ")} are followed by ${next}`, () => {
    const all = revisions(...of);
    assert.equal(
      inRevisionOrder(all)
        .map(({ revision }) => revision)
        .join(" "),
      order,
    );
    assert.equal(String(nextRevisionNumber(all)), next);
  });
