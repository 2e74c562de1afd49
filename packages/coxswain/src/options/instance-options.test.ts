import assert from "node:assert/strict";
import { test } from "node:test";
import { parseKubectlOptions, parseShell, parseStatusOptions, parseStopOptions } from "./instance-options.ts";
import { withoutAliases } from "./subcommands.ts";

const parsers = { status: parseStatusOptions, stop: parseStopOptions, kubectl: parseKubectlOptions, completion: parseShell };

function parse(name: keyof typeof parsers, args: readonly string[]): { readonly options: unknown; readonly output: string } {
  let output = "";
  const add = (text: string): void => {
    output += text;
  };
  try {
    return { options: parsers[name](args, { print: add, printError: add }), output };
  } catch {
    return { options: undefined, output };
  }
}

const understood = [
  { name: "status", args: [], expect: { output: "text" } },
  { name: "status", args: ["-o", "json", "--name=a"], expect: { output: "json", name: "a" } },
  { name: "stop", args: [], expect: { timeout: 30 } },
  { name: "stop", args: ["--name", "pid-1", "--timeout=0"], expect: { name: "pid-1", timeout: 0 } },
  { name: "kubectl", args: ["get", "pods", "--name=b"], expect: { args: ["get", "pods", "--name=b"] } },
  { name: "kubectl", args: ["--name", "a", "--context", "x", "get", "-h"], expect: { name: "a", args: ["--context", "x", "get", "-h"] } },
  { name: "kubectl", args: ["--name=a", "--", "--name=b"], expect: { name: "a", args: ["--", "--name=b"] } },
  { name: "completion", args: ["fish"], expect: "fish" },
] as const;
for (const { name, args, expect } of understood)
  test(`options: ${[name, ...args].join(" ")}`, () => assert.deepEqual(parse(name, args).options, expect));

const refused = [
  { name: "status", args: ["-o", "yaml"], says: /Allowed choices are text, json/ },
  { name: "stop", args: ["--timeout=soon"], says: /It must be a number of seconds/ },
  { name: "stop", args: ["--name=-a"], says: /It must have lower-case letters, digits and '-' alone/ },
  { name: "kubectl", args: ["--help"], says: /Usage: coxswain kubectl \[--name <name>\] <arguments of kubectl>/ },
  { name: "kubectl", args: ["--name"], says: /argument missing/ },
  { name: "completion", args: [], says: /missing required argument 'shell'/ },
  { name: "completion", args: ["tcsh"], says: /Allowed choices are bash, zsh, fish/ },
] as const;
for (const { name, args, says } of refused)
  test(`options: ${[name, ...args].join(" ")} stops with ${says.source.slice(0, 40)}`, () => {
    const { options, output } = parse(name, args);
    assert.equal(options, undefined);
    assert.match(output, says);
  });

const aliases = [
  { args: ["-v"], expect: ["--version"] },
  { args: ["version"], expect: ["--version"] },
  { args: ["help"], expect: ["--help"] },
  { args: ["help", "kubelet"], expect: ["kubelet", "--help"] },
  { args: ["kubectl", "version"], expect: ["kubectl", "version"] },
  { args: [], expect: [] },
];
for (const { args, expect } of aliases) test(`aliases: ${args.join(" ") || "none"}`, () => assert.deepEqual(withoutAliases(args), expect));
