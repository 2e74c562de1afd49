/** Operators in Rust: a program on kube, compiled here, drives the real command. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { assertAllOk, readBeside, run } from "./client-program.ts";
import { root } from "./command-under-test.ts";
import { startWithShortHistory } from "./short-history.ts";

const source = join(import.meta.dirname, "rust");
/** Where `.cargo/config.toml` puts it; Cargo itself knows what in there is up to date. */
const program = join(root, "node_modules/.cache/coxswain/rust/debug/kube-conformance");
const cargo = (...args: readonly string[]) => run("cargo", args, { cwd: source, timeoutMs: 8 * 60_000 });

const version = await cargo("--version", "--verbose");
const host = /^host: (.+)$/m.exec(version.stdout)?.[1];
const minor = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1]);
const needed = minor(readBeside(source, "Cargo.toml"), /^rust-version = "1\.(\d+)"$/m);
const isRecent = minor(version.stdout, /^release: 1\.(\d+)/m) >= needed;

test("kube-rs: typed and dynamic calls, watchers, reflectors, apply, conflicts, events, controllers, a derived kind", {
  skip: host !== undefined && isRecent ? false : `Rust 1.${needed} or newer is not installed`,
  timeout: 10 * 60_000,
}, async (t) => {
  const fetched = await cargo("fetch", "--locked", "--quiet", "--target", String(host));
  if (fetched.code !== 0) {
    t.skip(`the crates cannot be fetched here: ${fetched.stderr.trim().split("\n").at(-1)}`);
    return;
  }
  const built = await cargo("build", "--locked", "--offline", "--quiet");
  assert.equal(built.code, 0, built.stderr);
  const command = await startWithShortHistory(t);
  assertAllOk(await run(program, [command.kubeconfig], { timeoutMs: hangMs }), 50);
});
