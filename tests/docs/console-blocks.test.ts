import assert from "node:assert/strict";
import { test } from "node:test";
import { stepsOf } from "./console-blocks.ts";
import { outputMatches } from "./shown-output.ts";

const fence = "```";

test("the steps of a page, in its order", () => {
  const page = [
    `${fence}console server`,
    "$ npx coxswain",
    "",
    "coxswain 0.1.0",
    "",
    fence,
    `${fence}yaml pod.yaml`,
    "kind: Pod",
    fence,
    `${fence}console`,
    "$ kubectl apply -f - <<EOF",
    "$ not: a command",
    "EOF",
    "pod/a created",
    "",
    "$ kubectl get \\",
    "  pods",
    fence,
    `${fence}console skip="wants a cloud"`,
    "$ kubectl get cloud",
    fence,
    `${fence}console stop=worker`,
    "^C",
    fence,
    `${fence}sh`,
    "no command",
    fence,
  ].join("\n");
  assert.deepEqual(stepsOf(page), [
    { kind: "server", name: "server", command: { line: 2, command: "npx coxswain", output: "coxswain 0.1.0" } },
    { kind: "file", path: "pod.yaml", text: "kind: Pod\n" },
    {
      kind: "commands",
      commands: [
        { line: 11, command: "kubectl apply -f - <<EOF\n$ not: a command\nEOF", output: "pod/a created" },
        { line: 16, command: "kubectl get \\\n  pods", output: "" },
      ],
    },
    { kind: "skipped", line: 19, reason: "wants a cloud" },
    { kind: "stop", name: "worker" },
  ]);
});

for (const text of ["console\nno prompt", "console later\n$ ls", "console server\n$ ls\n$ ls"])
  test(`refuses ${JSON.stringify(text)}`, () => assert.throws(() => stepsOf(`${fence}${text}\n${fence}`), /line 1|line 2/));

const matches = [
  { shown: "web   1/1  2s", printed: "web 1/1   1m3s\n" },
  { shown: "pod/web-7957885594-6pm4b   Running", printed: "pod/web-ffffffffff-abcde   Running" },
  { shown: "uid 6f1b1d1e-7f3f-4d5c-9c73-0f3d2d6d3b11", printed: "uid 00000000-0000-4000-8000-000000000000" },
  { shown: "at https://127.0.0.1:6443, in /home/jane/x", printed: "at https://127.0.0.1:4711, in /tmp/y/z" },
  { shown: "a\n…\nz", printed: "a\nb\nc\nz\n" },
  { shown: "a\n…\nz", printed: "a\nz\n" },
  { shown: "a … z", printed: "a b c z" },
  { shown: "", printed: "\n" },
];
for (const { shown, printed } of matches)
  test(`${JSON.stringify(shown)} is ${JSON.stringify(printed)}`, () => assert.ok(outputMatches(shown, printed)));

const others = [
  { shown: "web 1/1", printed: "web 0/1" },
  { shown: "web", printed: "web\nmore" },
  { shown: "web\nmore", printed: "web" },
  { shown: "a b", printed: "a\nb" },
  { shown: "(a|b)", printed: "a" },
  { shown: "replicas 3", printed: "replicas 3s" },
  { shown: "web-1", printed: "web-2" },
];
for (const { shown, printed } of others)
  test(`${JSON.stringify(shown)} is not ${JSON.stringify(printed)}`, () => assert.ok(!outputMatches(shown, printed)));

test("more may follow what a program that goes on has printed", () => {
  assert.ok(outputMatches("ready", "ready\nmore\n", { prefix: true }));
  assert.ok(!outputMatches("ready", "not ready\n", { prefix: true }));
});
