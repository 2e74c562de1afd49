import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import { ContendedObjects } from "./contended-objects.ts";

const key = "/registry/configmaps/default/counter";

function contended() {
  const clock = new ManualClock();
  const objects = new ContendedObjects({ clock, maxWaitMs: 100 });
  const answered: string[] = [];
  const read = (name: string, at = key): void => {
    const turn = objects.turnAt(at);
    if (turn === undefined) answered.push(name);
    else void turn.then(() => answered.push(name));
  };
  return { clock, objects, answered, read };
}

test("reads are answered as they come as long as no write was refused", () => {
  const { objects, answered, read } = contended();
  for (const name of ["a", "b", "c"]) read(name);
  objects.noteWritten(key);
  assert.deepEqual(answered, ["a", "b", "c"]);
});

test("after a refused write, reads are answered in their order, each after the write of the one before", async () => {
  const { objects, answered, read } = contended();
  objects.noteRefused(key);
  for (const name of ["a", "b", "c"]) read(name);
  read("other object", `${key}-2`);
  assert.deepEqual(answered, ["a", "other object"]);
  objects.noteWritten(key);
  await quiescence();
  read("d");
  assert.deepEqual(answered, ["a", "other object", "b"]);
  objects.noteWritten(key);
  objects.noteWritten(key);
  await quiescence();
  assert.deepEqual(answered, ["a", "other object", "b", "c", "d"]);
});

test("a refused write says nothing about whose turn it is", async () => {
  const { objects, answered, read } = contended();
  objects.noteRefused(key);
  for (const name of ["a", "b"]) read(name);
  objects.noteRefused(key);
  await quiescence();
  assert.deepEqual(answered, ["a"]);
});

test("who reads without writing holds others up once, and not for long", async () => {
  const { clock, objects, answered, read } = contended();
  objects.noteRefused(key);
  for (const name of ["a", "b", "c"]) read(name);
  await clock.advance(19);
  assert.deepEqual(answered, ["a"]);
  await clock.advance(1);
  assert.deepEqual(answered, ["a", "b", "c"]);
  for (const name of ["d", "e"]) read(name);
  assert.deepEqual(answered, ["a", "b", "c", "d", "e"]);
});

test("no read waits longer than it may, however many are before it", async () => {
  const { clock, objects, answered, read } = contended();
  objects.noteRefused(key);
  for (let i = 0; i < 20; i++) read(String(i));
  for (let i = 0; i < 9; i++) {
    await clock.advance(11);
    objects.noteWritten(key);
  }
  await clock.advance(1);
  assert.equal(answered.length, 20);
});

test("when nobody has changed an object for a while it is like any other", async () => {
  const { clock, objects, answered, read } = contended();
  objects.noteRefused(key);
  await clock.advance(100);
  for (const name of ["a", "b"]) read(name);
  assert.deepEqual(answered, ["a", "b"]);
});

test("with very many reads of one object the last are answered at once", () => {
  const { objects, answered, read } = contended();
  objects.noteRefused(key);
  for (let i = 0; i < 300; i++) read(String(i));
  assert.deepEqual([answered.length, answered[1]], [44, "257"]);
});

test("objects of former conflicts are forgotten", async () => {
  const { clock, objects } = contended();
  for (let i = 0; i < 64; i++) objects.noteRefused(`${key}-${i}`);
  await clock.advance(100);
  objects.noteRefused(key);
  assert.equal(objects.size, 1);
});
