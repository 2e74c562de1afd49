/**
 * Every command of the tutorials, the how-tos and the README runs, in the order of its page, in a folder outside of the repository
 * that has the packed packages installed; what it prints is what the page shows.
 */
import { spawnSync } from "node:child_process";
import { describe, type TestContext, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { readPages } from "../../scripts/site/pages.ts";
import { findKubectls } from "../conformance/kubectl/kubectl.ts";
import { freePort } from "../free-port.ts";
import { type Built, builtPackages } from "../packages/built.ts";
import { type EmptyFolder, emptyFolder } from "../packages/empty-folder.ts";
import { type Step, stepsOf } from "./console-blocks.ts";
import { pageShell } from "./page-shell.ts";

interface CommandPage {
  readonly file: string;
  readonly steps: readonly Step[];
}

const pages: readonly CommandPage[] = readPages()
  .filter(({ file }) => file === "README.md" || /^docs\/(tutorials|howto)\//.test(file))
  .map(({ file, text }) => ({ file, steps: stepsOf(text) }))
  .filter(({ steps }) => steps.some(({ kind }) => kind !== "file"));

/** What a page needs beside npm and kubectl. */
const needs = new Map([["docs/howto/run-several-servers.md", ["etcd", "haproxy", "openssl"]]]);

const missingFor = (file: string): string | undefined =>
  needs.get(file)?.find((program) => spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0);

const skip = findKubectls().length === 0 && "no kubectl here";

describe("the commands of a page", { concurrency: 2, skip, timeout: 2 * hangMs }, () => {
  for (const { file, steps } of pages) {
    const missing = missingFor(file);
    test(file, { skip: missing === undefined ? false : `no ${missing} here` }, async (t) => {
      const { folder, built } = await prepare(t);
      const shell = pageShell(t, folder, await freePort());
      const runs = steps.some(({ kind }) => kind === "commands");
      if (runs && !steps.some(({ kind }) => kind === "server")) await shell.serve("server", freshServer);
      for (const step of steps) {
        switch (step.kind) {
          case "file":
            folder.write(step.path, step.text);
            break;
          case "server":
            await shell.serve(step.name, step.command);
            break;
          case "stop":
            await shell.stop(step.name);
            break;
          case "commands":
            for (const command of step.commands) await shell.run({ ...command, command: fromTarballs(command.command, built) });
            break;
          case "skipped":
            t.diagnostic(`${file}, line ${step.line}, is not run: ${step.reason}`);
            break;
        }
      }
    });
  }
});

let preparing: Promise<unknown> = Promise.resolve();

/** One after the other: whoever waits for the lock of a build holds up its whole process. */
function prepare(t: TestContext): Promise<{ readonly folder: EmptyFolder; readonly built: Built }> {
  const prepared = preparing.then(async () => {
    const built = await builtPackages();
    // The type that `npm init` writes.
    return { folder: await emptyFolder(t, { packages: ["coxswain"], manifest: { type: "commonjs" } }), built };
  });
  preparing = prepared.catch(() => undefined);
  return prepared;
}

/** The packages are in no registry yet. */
const fromTarballs = (command: string, { packages }: Built): string =>
  /^npm (?:i|install)\b/.test(command)
    ? command.replaceAll(/(?<= )@?[a-z][\w/-]*/g, (name) => packages.get(name)?.tarball ?? name)
    : command;

/** For pages that begin with one that is there. */
const freshServer = { line: 0, command: "npx coxswain", output: "coxswain …\n…" };
