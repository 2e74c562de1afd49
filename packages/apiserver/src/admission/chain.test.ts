import assert from "node:assert/strict";
import { test } from "node:test";
import type { Revision } from "@coxswain/store";
import type { AdmissionPlugin, AdmissionRequest } from "../contracts/admission.ts";
import { AdmissionChain } from "./chain.ts";

const create = { operation: "create" } as AdmissionRequest;

test("each step calls, in order, the plugins that have it and handle the request", async () => {
  const calls: string[] = [];
  const plugin = (name: string, handles = true): AdmissionPlugin => ({
    handles: () => handles,
    mutate: () => void calls.push(`${name} mutates`),
    validate: async () => void calls.push(`${name} validates`),
  });
  const chain = new AdmissionChain([plugin("a"), plugin("b", false), { handles: () => true }, plugin("c")]);
  await chain.mutate(create);
  await chain.validate(create);
  assert.deepEqual(calls, ["a mutates", "c mutates", "a validates", "c validates"]);
});

test("a plugin that refuses ends the step", async () => {
  const calls: string[] = [];
  const refuse = (): void => {
    throw new Error("no");
  };
  const chain = new AdmissionChain([
    { handles: () => true, validate: refuse },
    { handles: () => true, validate: () => void calls.push("later") },
  ]);
  await assert.rejects(chain.validate(create), /^Error: no$/);
  assert.deepEqual(calls, []);
});

test("what was reserved is free again when a later plugin refuses", async () => {
  const calls: string[] = [];
  const reserve = (): Disposable => ({ [Symbol.dispose]: () => void calls.push("free") });
  const refuse = async (): Promise<undefined> => {
    throw new Error("range is full");
  };
  const chain = new AdmissionChain([
    { handles: () => true, reserve },
    { handles: () => true, reserve: refuse },
  ]);
  await assert.rejects(async () => chain.reserve(create), /range is full/);
  assert.deepEqual(calls, ["free"]);
});

test("what a new object relies on is collected", async () => {
  const compare = { key: "/registry/namespaces/n", modified: 7 as Revision };
  const chain = new AdmissionChain([
    { handles: () => true, compare: async () => compare },
    { handles: () => true, compare: async () => undefined },
  ]);
  assert.deepEqual(await chain.comparesOf(create), [compare]);
});
