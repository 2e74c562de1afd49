/** What zsh and fish complete with the scripts that the command prints. The shells come from the packages of Debian. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { installed, run } from "../conformance/client-program.ts";
import { mainFile } from "../conformance/command-under-test.ts";

/** Unpacked, not installed: no rights are needed. */
const shell = (name: string, packages: readonly string[]) =>
  installed({
    name,
    inputs: [process.arch, ...packages],
    async install(folder) {
      const options = { cwd: folder, timeoutMs: 2 * 60_000 };
      const downloaded = await run("apt-get", ["download", ...packages], options);
      if (downloaded.code !== 0) return downloaded;
      const archives = readdirSync(folder).filter((file) => file.endsWith(".deb"));
      for (const archive of archives) {
        const unpacked = await run("dpkg", ["-x", archive, "."], options);
        if (unpacked.code !== 0) return unpacked;
      }
      return downloaded;
    },
  });

function scriptFor(t: TestContext, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-completion-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), execFileSync(process.execPath, [mainFile, "completion", name]));
  return join(folder, name);
}

const cases = [
  { name: "a command", words: "statu", fish: "status", zsh: "status" },
  { name: "an option", words: "--kubec", fish: "--kubeconfig", zsh: "--kubeconfig" },
  { name: "an option of a command", words: "status --out", fish: "--output", zsh: "status --output" },
  { name: "what an option can be", words: "--runtime proc", fish: "process", zsh: "--runtime process" },
  { name: "what stands behind an equals sign", words: "--output=js", fish: "--output=json", zsh: "--output=json" },
  { name: "what a command can be given", words: "completion ba", fish: "bash", zsh: "completion bash" },
];

test("fish completes", async (t) => {
  const fish = await shell("fish", ["fish", "fish-common", "libpcre2-32-0"]);
  if ("missing" in fish) return t.skip(fish.missing);
  const script = scriptFor(t, "fish");
  const libraries = readdirSync(join(fish.folder, "usr/lib")).map((name) => join(fish.folder, "usr/lib", name));
  for (const { name, words, fish: expect } of cases)
    await t.test(name, () => {
      const command = ["--no-config", "-c", `source ${script}; complete -C 'coxswain ${words}'`];
      const env = { ...process.env, LD_LIBRARY_PATH: libraries.join(":") };
      const { stdout, stderr } = spawnSync(join(fish.folder, "usr/bin/fish"), command, { encoding: "utf8", env, timeout: hangMs });
      assert.deepEqual(
        stdout.split("\n").map((line) => line.split("\t")[0]),
        [expect, ""],
        stderr,
      );
    });
});

/** An interactive zsh in a terminal of its own, in which Tab and Return are typed: what it then runs prints its words. */
const inTerminal = `
module_path=($SHELL_FOLDER/usr/lib/*/zsh/5*(N)); zmodload zsh/zpty || exit 1
export TERM=dumb
zpty z $SHELL_FOLDER/bin/zsh -f -i
until-printed() { local line; until zpty -r z line && [[ $line == *"$1"* ]]; do :; done; print -r -- "$line"; }
zpty -w z "module_path=($module_path); print MODULES-\${:-READY}"; until-printed MODULES-READY > /dev/null
zpty -w z "fpath=($SHELL_FOLDER/usr/share/zsh/functions/**/*(/N)); autoload -U compinit; compinit -u -D; coxswain() { print -r -- \\"RAN[\\$*]\\" }; source $1; print SETUP-\${:-READY}"
until-printed SETUP-READY > /dev/null
zpty -w z "coxswain $2"$'\\t'
until-printed "RAN["
zpty -d z
`;

test("zsh completes", async (t) => {
  const zsh = await shell("zsh", ["zsh", "zsh-common"]);
  if ("missing" in zsh) return t.skip(zsh.missing);
  const script = scriptFor(t, "zsh");
  for (const { name, words, zsh: expect } of cases)
    await t.test(name, () => {
      const env = { ...process.env, SHELL_FOLDER: zsh.folder };
      const args = ["-f", "-c", inTerminal, "zsh", script, words];
      const { stdout, stderr } = spawnSync(join(zsh.folder, "bin/zsh"), args, { encoding: "utf8", env, timeout: hangMs });
      assert.equal(/RAN\[(.*)\]/.exec(stdout)?.[1], expect, stdout + stderr);
    });
});
