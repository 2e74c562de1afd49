/** The Rust kit, from the crate as it is published: an example project runs with it where nobody knows this repository. */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { root } from "../../scripts/checks/tree.ts";
import { type Ran, run } from "../conformance/client-program.ts";
import { builtExecutable } from "./built-executable.ts";
import { strangersEnvironment } from "./empty-folder.ts";
import { killWhenPrinted } from "./killed-run.ts";

const kit = join(root, "kits/rust");
/** Beside what the conformance tests build, of which much is the same. */
const target = join(root, "node_modules/.cache/coxswain/rust");

const version = await run("cargo", ["--version", "--verbose"], { timeoutMs: 60_000 });
const host = /^host: (.+)$/m.exec(version.stdout)?.[1];
const minor = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1]);
const needed = minor(readFileSync(join(kit, "Cargo.toml"), "utf8"), /^rust-version = "1\.(\d+)"$/m);
const isRecent = minor(version.stdout, /^release: 1\.(\d+)/m) >= needed;
const options = { skip: host !== undefined && isRecent ? false : `Rust 1.${needed} or newer is not installed`, timeout: 12 * 60_000 };

interface Project {
  readonly path: string;
  readonly temporary: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  cargo(...args: readonly string[]): Promise<Ran>;
}

/** A copy that ends with the test; undefined, and the test skipped, where its crates cannot be fetched. */
async function projectOf(t: TestContext, source: string, prepare: (path: string) => void | Promise<void>): Promise<Project | undefined> {
  const [path, temporary] = ["project", "tmp"].map((name) => mkdtempSync(join(tmpdir(), `coxswain-rust-${name}-`))) as [string, string];
  t.after(() => {
    for (const folder of [path, temporary]) rmSync(folder, { recursive: true, force: true });
  });
  cpSync(source, path, { recursive: true });
  await prepare(path);
  const ours = { CARGO_TARGET_DIR: target, COXSWAIN_EXECUTABLE: await builtExecutable(), TMPDIR: temporary };
  const env = { ...strangersEnvironment(), ...ours };
  const cargo = (...args: readonly string[]) => run("cargo", args, { cwd: path, env, timeoutMs: 10 * 60_000 });
  const fetched = await cargo("fetch", "--locked", "--quiet", "--target", String(host));
  if (fetched.code === 0) return { path, temporary, env, cargo };
  t.skip(`the crates cannot be fetched here: ${fetched.stderr.trim().split("\n").at(-1)}`);
  return undefined;
}

async function succeeds(ran: Promise<Ran>): Promise<string> {
  const { code, stdout, stderr } = await ran;
  assert.equal(code, 0, stdout + stderr);
  return stdout;
}

test("the kit's own tests pass with the executable", options, async (t) => {
  const project = await projectOf(t, kit, () => undefined);
  if (project === undefined) return;
  const printed = await succeeds(project.cargo("test", "--locked", "--offline", "--quiet", "--features", "kube", "--", "--nocapture"));
  assert.doesNotMatch(printed, /skipped/);
});

const hanging = `use std::time::Duration;

fn main() {
    let cluster = coxswain_testing::Cluster::start().unwrap();
    println!("kubeconfig={};", cluster.kubeconfig().display());
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}
`;

test("a project with kube runs with the packed crate, and leaves nothing when it is killed", options, async (t) => {
  const project = await projectOf(t, join(kit, "example"), async (path) => {
    // What cargo packs is unpacked as a vendored crate is.
    await succeeds(
      run("cargo", ["package", "--no-verify", "--allow-dirty", "--quiet"], {
        cwd: kit,
        env: { CARGO_TARGET_DIR: target },
        timeoutMs: 60_000,
      }),
    );
    const crates = join(path, "vendor");
    mkdirSync(crates);
    await succeeds(run("tar", ["-xzf", join(target, "package/coxswain-testing-0.1.0.crate"), "-C", crates], { timeoutMs: 60_000 }));
    assert.deepEqual(readdirSync(join(crates, "coxswain-testing-0.1.0")).sort(), packed);
    mkdirSync(join(path, ".cargo"), { recursive: true });
    writeFileSync(join(path, ".cargo/config.toml"), '[patch.crates-io]\ncoxswain-testing = { path = "vendor/coxswain-testing-0.1.0" }\n');
    mkdirSync(join(path, "examples"));
    writeFileSync(join(path, "examples/hanging.rs"), hanging);
  });
  if (project === undefined) return;
  const printed = await succeeds(project.cargo("test", "--locked", "--offline", "--quiet", "--", "--nocapture"));
  assert.match(printed, /2 passed/);
  t.diagnostic(/coxswain \S+ after \S+/.exec(printed)?.[0] ?? "no time was printed");

  await succeeds(project.cargo("build", "--locked", "--offline", "--quiet", "--example", "hanging"));
  const { env, temporary, path: cwd } = project;
  const killed = { program: join(target, "debug/examples/hanging"), args: [], cwd, env, printed: /kubeconfig=.*;/, running: /--ephemeral/ };
  const output = await killWhenPrinted(killed, "--output=json");
  const kubeconfig = /kubeconfig=(.*);/.exec(output)?.[1] ?? "";
  assert.ok(kubeconfig.startsWith(temporary), kubeconfig);
  await waitUntil("the kubeconfig to be removed", () => !existsSync(kubeconfig));
  assert.deepEqual(readdirSync(temporary), []);
});

/** Nothing but sources, how to use them and under which terms; `Cargo.toml.orig` and the record of the commit are cargo's own. */
const packed = [".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml", "Cargo.toml.orig", "LICENSE", "README.md", "src"];
