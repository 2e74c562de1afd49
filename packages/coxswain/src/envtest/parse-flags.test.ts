import assert from "node:assert/strict";
import { test } from "node:test";
import { booleanOf, type FlagNames, lastOf, listOf, parseFlags } from "./parse-flags.ts";

const kinds: Readonly<Record<string, "boolean" | "value">> = {
  "bind-address": "value",
  audiences: "value",
  v: "value",
  privileged: "boolean",
};
const names: FlagNames = { kindOf: (name) => kinds[name] };
const parse = (...args: string[]) => parseFlags("server", args, names);

const readable = [
  { name: "a value behind =", args: ["--bind-address=::1"], expect: [["bind-address", ["::1"]]] },
  { name: "a value in the next word", args: ["--bind-address", "::1"], expect: [["bind-address", ["::1"]]] },
  { name: "an underscore is a dash", args: ["--bind_address=a=b"], expect: [["bind-address", ["a=b"]]] },
  { name: "a boolean without a value", args: ["--privileged", "-v", "4"], expect: [["privileged", ["true"]], ["v", ["4"]]] }, // biome-ignore format: one row
  { name: "a value that is empty", args: ["--bind-address="], expect: [["bind-address", [""]]] },
  { name: "a flag twice", args: ["--audiences=a,b", "--audiences=c"], expect: [["audiences", ["a,b", "c"]]] },
  { name: "an empty word", args: ["", "-v=2"], expect: [["v", ["2"]]] },
];
for (const { name, args, expect } of readable) test(`flags: ${name}`, () => assert.deepEqual([...parse(...args)], expect));

const unreadable = [
  { args: ["--unknown=1"], message: "unknown flag: --unknown" },
  { args: ["--bind-address"], message: "flag needs an argument: --bind-address" },
  { args: ["word"], message: 'server does not take any arguments, got "word"' },
  { args: ["--"], message: 'server does not take any arguments, got "--"' },
];
for (const { args, message } of unreadable)
  test(`flags: refuses ${args.join(" ")}`, () => assert.throws(() => parse(...args), { message }));

test("flags: lists are joined, single values are the last, booleans have their words", () => {
  const flags = parse("--audiences=a,b", "--audiences=c", "-v=1", "-v=2", "--privileged=False");
  assert.deepEqual(listOf(flags, "audiences"), ["a", "b", "c"]);
  assert.equal(lastOf(flags, "v"), "2");
  assert.equal(booleanOf(flags, "privileged"), false);
  assert.equal(booleanOf(flags, "missing"), undefined);
  assert.throws(() => booleanOf(parse("--privileged=perhaps"), "privileged"), {
    message: /^invalid argument "perhaps" for "--privileged" flag/,
  });
});
