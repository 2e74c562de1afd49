import assert from "node:assert/strict";
import { test } from "node:test";
import { type ControllerRevision, revisionData, templateIn } from "../shared/revisions/revision-data.ts";
import { planRevision, surplusRevisions } from "./revisions.ts";
import { podsUnderTest, revisions, setUnderTest, template } from "./set-under-test.ts";

const revision = (number: number, image: string, name = `web-${number}`): ControllerRevision => ({
  metadata: { name },
  data: revisionData(template(image)),
  revision: number,
});

const nulls: ControllerRevision = {
  ...revision(1, "v2"),
  data: { spec: { template: { ...template("v2"), metadata: { creationTimestamp: null, labels: { app: "web" } }, $patch: "replace" } } },
};

const cases = [
  { name: "the first", history: [], expect: { do: "create", number: 1 } },
  { name: "another template", history: [revision(1, "v1")], expect: { do: "create", number: 2 } },
  { name: "the same template", history: [revision(1, "v1"), revision(2, "v2")], expect: { do: "keep", revision: revision(2, "v2") } },
  {
    name: "back to one of before",
    history: [revision(1, "v2"), revision(4, "v1")],
    expect: { do: "renumber", revision: revision(1, "v2"), number: 5 },
  },
  { name: "the same, written down otherwise", history: [nulls], expect: { do: "keep", revision: nulls } },
];

for (const { name, history, expect } of cases) test(name, () => assert.deepEqual(planRevision(setUnderTest(), history), expect));

test("a revision gives back the template it was made of", () =>
  assert.deepEqual(templateIn(revision(1, "v1"), template("v2")), template("v1")));

const histories = [
  { name: "keeps as many as the limit", limit: 1, expect: ["web-1", "web-2"] },
  { name: "keeps none", limit: 0, expect: ["web-1", "web-2", "web-3"] },
  { name: "keeps all", limit: 10, expect: [] },
];

for (const { name, limit, expect } of histories)
  test(`${name} but what is in use`, () => {
    const set = setUnderTest({ revisionHistoryLimit: limit });
    const history = ["web-1", "web-2", "web-old", "web-3", "web-new"].map((one, i) => revision(i + 1, `v${i}`, one));
    const surplus = surplusRevisions(set, history, podsUnderTest(set, ["web-0 old"]), revisions);
    assert.deepEqual(
      surplus.map(({ metadata }) => metadata?.name),
      expect,
    );
  });
