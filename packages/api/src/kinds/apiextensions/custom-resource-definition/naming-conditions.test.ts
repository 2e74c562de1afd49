import assert from "node:assert/strict";
import { test } from "node:test";
import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from "@coxswain/types/apiextensions-v1";
import { acceptNames, establish, noteCondition } from "./naming-conditions.ts";

type Names = Partial<CustomResourceDefinition["spec"]["names"]>;

const seatNames = { plural: "seats", singular: "seat", kind: "Seat", listKind: "SeatList" };

const definition = (names: Names, status: CustomResourceDefinition["status"] = {}, group = "example.com"): CustomResourceDefinition => {
  const all = { ...seatNames, ...names };
  return { metadata: { name: `${all.plural}.${group}` }, spec: { group, scope: "Namespaced", names: all, versions: [] }, status };
};

const accepted = (names: Names, group?: string): CustomResourceDefinition => {
  const crd = definition(names, {}, group);
  return { ...crd, status: { acceptedNames: crd.spec.names } };
};

const other = { plural: "chairs", singular: "chair", kind: "Chair", listKind: "ChairList" };
const yes = { type: "Established", status: "True", reason: "InitialNamesAccepted", message: "" };
const installing = "Established=False Installing: the initial names have been accepted";
const notAccepted = "Established=False NotAccepted: not all names are accepted";

interface Case {
  readonly name: string;
  readonly crd: CustomResourceDefinition;
  readonly others?: readonly CustomResourceDefinition[];
  /** The names, as JSON, and the conditions; undefined when nothing is to be written. */
  readonly expect: { readonly names: Names; readonly conditions: readonly string[] } | undefined;
}

const cases: readonly Case[] = [
  {
    name: "names that no other definition has are accepted, and the definition is established",
    crd: definition({}),
    expect: { names: seatNames, conditions: ["NamesAccepted=True NoConflicts: no conflicts found", installing] },
  },
  {
    name: "a singular that is another's short name is refused, the rest is taken",
    crd: definition({}),
    others: [accepted({ ...other, shortNames: ["seat"] })],
    expect: {
      names: { plural: "seats", kind: "Seat", listKind: "SeatList" },
      conditions: ['NamesAccepted=False SingularConflict: "seat" is already in use', notAccepted],
    },
  },
  {
    name: "a plural that is another's singular",
    crd: definition({}),
    others: [accepted({ ...other, singular: "seats" })],
    expect: {
      names: { plural: "", singular: "seat", kind: "Seat", listKind: "SeatList" },
      conditions: ['NamesAccepted=False PluralConflict: "seats" is already in use', notAccepted],
    },
  },
  {
    name: "short names that are in use, all are reported",
    crd: definition({ shortNames: ["a", "b", "c"] }),
    others: [accepted({ ...other, shortNames: ["a", "b"] })],
    expect: {
      names: seatNames,
      conditions: ['NamesAccepted=False ShortNamesConflict: ["a" is already in use, "b" is already in use]', notAccepted],
    },
  },
  {
    name: "a kind that is another definition's list kind, of several conflicts the last is reported",
    crd: definition({ shortNames: ["chair"] }),
    others: [accepted({ ...other, listKind: "Seat" })],
    expect: {
      names: { plural: "seats", singular: "seat", kind: "", listKind: "SeatList" },
      conditions: ['NamesAccepted=False KindConflict: "Seat" is already in use', notAccepted],
    },
  },
  {
    name: "a list kind that is another's kind",
    crd: definition({}),
    others: [accepted({ ...other, kind: "SeatList" })],
    expect: {
      names: { plural: "seats", singular: "seat", kind: "Seat" },
      conditions: ['NamesAccepted=False ListKindConflict: "SeatList" is already in use', notAccepted],
    },
  },
  {
    name: "another group's names do not count",
    crd: definition({}),
    others: [accepted({}, "example.org")],
    expect: { names: seatNames, conditions: ["NamesAccepted=True NoConflicts: no conflicts found", installing] },
  },
  { name: "nothing is to do for names that are accepted as they are", crd: accepted({}), expect: undefined },
  {
    name: "what is established stays so when a new short name is refused",
    crd: definition({ shortNames: ["c"] }, { acceptedNames: seatNames, conditions: [yes] }),
    others: [accepted({ ...other, shortNames: ["c"] })],
    expect: {
      names: seatNames,
      conditions: ['NamesAccepted=False ShortNamesConflict: "c" is already in use', "Established=True InitialNamesAccepted: "],
    },
  },
  {
    name: "a conflict that was reported is not reported again",
    crd: definition(
      { shortNames: ["c"] },
      {
        acceptedNames: seatNames,
        conditions: [{ type: "NamesAccepted", status: "False", reason: "ShortNamesConflict", message: '"c" is already in use' }],
      },
    ),
    others: [accepted({ ...other, shortNames: ["c"] })],
    expect: undefined,
  },
  {
    name: "short names may go, and categories change freely",
    crd: definition({ categories: ["all"] }, { acceptedNames: { ...seatNames, shortNames: ["s"] }, conditions: [yes] }),
    expect: {
      names: { ...seatNames, categories: ["all"] },
      conditions: ["NamesAccepted=True NoConflicts: no conflicts found", "Established=True InitialNamesAccepted: "],
    },
  },
];

const shown = ({ type, status, reason, message }: CustomResourceDefinitionCondition) => `${type}=${status} ${reason}: ${message}`;

for (const { name, crd, others = [], expect } of cases)
  test(name, () => {
    const decision = acceptNames(crd, others);
    const found = decision && { names: decision.acceptedNames, conditions: decision.conditions.map(shown) };
    const names = expect && { plural: "", kind: "", ...expect.names };
    assert.deepEqual(found, expect && { ...expect, names });
  });

const namesAccepted = { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "" };
const webhook = (caBundle: string) => ({ strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig: { caBundle } } });

const establishing = [
  { name: "accepted names are established", conditions: [namesAccepted], caBundle: "", expect: "InitialNamesAccepted" },
  { name: "names have to be accepted first", conditions: [], caBundle: "", expect: undefined },
  { name: "once is enough", conditions: [namesAccepted, yes], caBundle: "", expect: undefined },
  { name: "a bundle that cannot be read is in the way", conditions: [namesAccepted], caBundle: "Zm9v", expect: "InvalidCABundle" },
];
for (const { name, conditions, caBundle, expect } of establishing)
  test(name, () => {
    const crd = definition({}, { conditions });
    crd.spec.conversion = webhook(caBundle);
    assert.equal(establish(crd)?.reason, expect);
  });

test("a condition's time is that of the last change of status", () => {
  const first = noteCondition([], { ...yes, status: "False" }, "2026-01-01T00:00:00Z");
  const second = noteCondition(first, { ...yes, status: "False", reason: "Other" }, "2026-01-02T00:00:00Z");
  const third = noteCondition(second, yes, "2026-01-03T00:00:00Z");
  assert.deepEqual(
    [first, second, third].map(([condition]) => [condition?.reason, condition?.lastTransitionTime]),
    [
      ["InitialNamesAccepted", "2026-01-01T00:00:00Z"],
      ["Other", "2026-01-01T00:00:00Z"],
      ["InitialNamesAccepted", "2026-01-03T00:00:00Z"],
    ],
  );
});
