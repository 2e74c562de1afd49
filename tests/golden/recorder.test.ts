/** What counts as a difference, what two recordings agree on, which differences are accepted, and who may record. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAccepted, staleLines, unaccepted } from "./accepted-differences.ts";
import { requireAdministrator } from "./administrator.ts";
import { agree } from "./agree.ts";
import { compareAnswers, compareRecordings } from "./difference.ts";
import { formatJson, type Json } from "./json.ts";
import { batches } from "./replay.ts";
import type { Answer, Step } from "./scenario.ts";

const answer = (body: Json, more: Partial<Answer> = {}): Answer => ({ step: "s", status: 200, type: "application/json", body, ...more });
const recording = (...answers: readonly Answer[]) => ({ name: "one", answers });
const x80 = "x".repeat(80);

const differences = [
  { name: "equal, whatever the order of keys", expected: answer({ a: 1, b: [2] }), actual: answer({ b: [2], a: 1 }), fields: [] },
  { name: "a value", expected: answer({ a: { b: 1 } }), actual: answer({ a: { b: 2 } }), fields: ["/body/a/b"] },
  { name: "a field too many", expected: answer({}), actual: answer({ a: null }), fields: ["/body/a"] },
  { name: "an item too few", expected: answer([1, 2]), actual: answer([1]), fields: ["/body/1"] },
  { name: "another type", expected: answer([]), actual: answer({}), fields: ["/body"] },
  { name: "keys with slashes", expected: answer({ "a/b~c": 1 }), actual: answer({ "a/b~c": 2 }), fields: ["/body/a~1b~0c"] },
  { name: "a warning", expected: answer(1), actual: answer(1, { warnings: ["w"] }), fields: ["/warnings"] },
  { name: "not the rest of a long message", expected: answer(`${x80} ...`), actual: answer(`${x80} and more`), fields: [] },
  { name: "the beginning of a long message", expected: answer(`${x80} ...`), actual: answer(`y${x80} ...`), fields: ["/body"] },
  {
    name: "not what is unstable",
    expected: answer({ a: 1, ab: 1 }, { unstable: ["/body/a"] }),
    actual: answer({ a: { b: 2 }, ab: 2 }),
    fields: ["/body/ab"],
  },
];
for (const { name, expected, actual, fields } of differences) {
  test(`answers differ in ${name}`, () =>
    assert.deepEqual(
      compareAnswers(expected, actual).map(({ field }) => field),
      fields,
    ));
}

test("a step without an answer differs as a whole", () => {
  const [difference] = compareRecordings(recording(answer(1)), recording());
  assert.deepEqual([difference?.step, difference?.fields.map(({ field }) => field)], ["s", ["/"]]);
});

const agreements = [
  { name: "everything", first: answer({ a: 1 }), second: answer({ a: 1 }), agreed: answer({ a: 1 }) },
  {
    name: "all but a field",
    first: answer({ a: 1, b: 2 }),
    second: answer({ a: 1, b: 3 }),
    agreed: answer({ a: 1 }, { unstable: ["/body/b"] }),
  },
  {
    name: "a field that only one has",
    first: answer({}),
    second: answer({ "x/y": 3 }),
    agreed: answer({}, { unstable: ["/body/x~1y"] }),
  },
  {
    name: "an item of a list, of which the others keep their places",
    first: answer({ l: [1, 2] }),
    second: answer({ l: [3, 2] }),
    agreed: answer({ l: [null, 2] }, { unstable: ["/body/l/0"] }),
  },
  {
    name: "lists of different lengths",
    first: answer({ a: 0, l: [{ n: 1 }] }),
    second: answer({ a: 0, l: [{ n: 2 }, { n: 1 }] }),
    agreed: answer({ a: 0 }, { unstable: ["/body/l"] }),
  },
  {
    name: "nothing, where the status differs",
    first: answer({ a: 1 }, { warnings: ["w"] }),
    second: answer({ a: 1 }, { status: 409 }),
    agreed: { step: "s", unstable: ["/status", "/type", "/warnings", "/body"] },
  },
];
for (const { name, first, second, agreed } of agreements) {
  test(`two recordings agree on ${name}`, () => {
    const { answers } = agree(recording(first), recording(second));
    assert.deepEqual(answers, [agreed]);
    assert.deepEqual(compareAnswers(answers[0], second), [], "and the second is equal to it");
  });
}

const table = (...rows: readonly string[]) =>
  [
    "# C",
    "## Recorded requests whose answers differ",
    "",
    "| scenario | step |",
    "| - | - |",
    ...rows,
    "",
    "## Others",
    "| `x` | y |",
  ].join("\n");
const found = compareRecordings(recording(answer({ a: 1, b: 1 })), recording(answer({ a: 2, b: { c: 2 } })));

test("a difference is accepted when each of its fields has a line", () => {
  const accepted = parseAccepted(table("| `one` | `s` | `/body/a`, `/body/b` | because |"));
  assert.deepEqual(accepted, [{ scenario: "one", step: "s", fields: ["/body/a", "/body/b"] }]);
  assert.deepEqual(unaccepted(found, accepted), []);
  assert.deepEqual(staleLines(found, accepted), []);
});

test("a difference with a field that has no line is not accepted", () => {
  assert.deepEqual(unaccepted(found, parseAccepted(table("| `one` | `s` | `/body/a` | because |"))), found);
});

test("a line is stale without its difference", () => {
  const accepted = parseAccepted(table("| `one` | `s` | `/body`, `/status` | because |", "| `two` | `s` | `/body` | because |"));
  assert.deepEqual(staleLines(found, accepted), ['one "s" /status', 'two "s" /body']);
});

test("a line needs a reason", () => assert.throws(() => parseAccepted(table("| `one` | `s` | `/body` |  |")), /needs its reason/));

const askers = [
  {
    name: "an administrator",
    status: 201,
    user: { username: "admin", groups: ["system:masters", "system:authenticated"] },
    refused: undefined,
  },
  { name: "another user", status: 201, user: { username: "ann", groups: ["devs"] }, refused: /system:masters; ann is in \["devs"\]/ },
  { name: "a user without groups", status: 201, user: { username: "ann" }, refused: /system:masters; ann is in \[\]/ },
  { name: "no user", status: 401, user: {}, refused: /system:masters; the user is unknown: 401/ },
];
for (const { name, status, user, refused } of askers) {
  test(`${name} ${refused === undefined ? "may" : "may not"} record`, async () => {
    const text = JSON.stringify({ status: { userInfo: user } });
    const server = { send: () => Promise.resolve({ status, type: "", warnings: [], text }), [Symbol.dispose]: () => {} };
    if (refused === undefined) await requireAdministrator(server);
    else await assert.rejects(requireAdministrator(server), refused);
  });
}

test("data files have as many values on a line as fit", () => {
  const long = "x".repeat(80);
  assert.equal(formatJson({ a: 1, b: [2, { c: 3 }], e: {} }), '{ "a": 1, "b": [2, { "c": 3 }], "e": {} }');
  assert.equal(formatJson([1, 2, long, long, 3]), `[\n 1, 2, "${long}",\n "${long}", 3\n]`);
});

test("reads go out together, but for those that wait or refer to each other", () => {
  const step = (name: string, more: Partial<Step> = {}): Step => ({ name, path: "/", ...more });
  const steps = [
    step("a", { method: "POST" }),
    step("b", { path: "/${a.x}" }),
    step("c"),
    step("d", { path: "/${c.x}" }),
    step("e", { waitMs: 1 }),
    step("f"),
  ];
  assert.deepEqual(
    batches(steps).map((batch) => batch.map(({ name }) => name).join("")),
    ["a", "bc", "d", "e", "f"],
  );
});
