import assert from "node:assert/strict";
import { test } from "node:test";
import { alreadyExists, conflict, failure, modifiedMessage, type StatusCause } from "@coxswain/machinery";
import { conflictChanges, explainConflict } from "./conflict-explanation.ts";

const seats = { group: "cinema.example", resource: "seats" };
const message = `Operation cannot be fulfilled on seats.cinema.example "a1": ${modifiedMessage}`;
const withCauses = (causes: readonly StatusCause[]) => failure(409, "Conflict", message, { name: "a1", causes });

const cases: readonly { name: string; error: unknown; changes: readonly object[]; text: string }[] = [
  { name: "a server that explains nothing", error: conflict(seats, "a1", modifiedMessage), changes: [], text: message },
  {
    name: "fields, and the object as a whole",
    error: withCauses([
      { reason: "OverlappingChange", field: ".spec.bookedBy", message: "added by ann; this write changes it too" },
      { reason: "MoreChanges", message: "3 more fields changed", field: "" },
    ]),
    changes: [
      { reason: "OverlappingChange", field: ".spec.bookedBy", message: "added by ann; this write changes it too" },
      { reason: "MoreChanges", message: "3 more fields changed" },
    ],
    text: `${message}\n  .spec.bookedBy: added by ann; this write changes it too\n  3 more fields changed`,
  },
  {
    name: "field managers, which the message names already",
    error: withCauses([{ reason: "FieldManagerConflict", field: ".spec.x", message: 'conflict with "ann"' }]),
    changes: [{ reason: "FieldManagerConflict", field: ".spec.x", message: 'conflict with "ann"' }],
    text: message,
  },
  { name: "causes that are not of a conflict", error: withCauses([{ reason: "toString", message: "?" }, {}]), changes: [], text: message },
  { name: "another 409", error: alreadyExists(seats, "a1"), changes: [], text: 'seats.cinema.example "a1" already exists' },
  { name: "no Status at all", error: "lost", changes: [], text: "lost" },
];
for (const { name, error, changes, text } of cases)
  test(name, () => {
    assert.deepEqual(conflictChanges(error), changes);
    assert.equal(explainConflict(error), text);
  });
