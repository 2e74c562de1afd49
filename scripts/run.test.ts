import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";

const launcher = join(import.meta.dirname, "run.mjs");

function launch(t: TestContext, program: string, ...args: readonly string[]) {
  const dir = mkdtempSync(join(tmpdir(), "launcher-"));
  t.after(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "program.ts"), program);
  return spawn(process.execPath, [launcher, join(dir, "program.ts"), ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

test("the launcher passes arguments on and the exit code back", async (t) => {
  const child = launch(
    t,
    "const words: string[] = process.argv.slice(2); console.log(words.join('|')); process.exitCode = 7;",
    "--a",
    "b c",
  );
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const [code] = await once(child, "close");
  assert.deepEqual([code, printed], [7, "--a|b c\n"]);
});

test("the launcher passes signals on, and exits with the code of the program", async (t) => {
  const polite = launch(t, "process.on('SIGTERM', () => process.exit(3)); setInterval(() => {}, 1000); console.log('ready');");
  await once(polite.stdout, "data");
  polite.kill("SIGTERM");
  assert.deepEqual(await once(polite, "exit"), [3, null]);

  const killed = launch(t, "process.kill(process.pid, 'SIGKILL');");
  assert.deepEqual(await once(killed, "exit"), [137, null]);
});

const lockfile = {
  packages: {
    "": {},
    "packages/own": {},
    "node_modules/own": { link: true },
    "node_modules/a": {},
    "node_modules/for-this": { os: [process.platform], cpu: [process.arch] },
    "node_modules/for-others": { os: ["plan9"] },
  },
};
const installs = [
  {
    name: "says how much is installed, and then runs the program",
    npm: "",
    says: /^Installing 2 packages, up to 120 MB… \d+ s\n$/,
    code: 0,
  },
  { name: "ends when npm fails", npm: "process.exit(1)", says: /… \d+ s\nnpm could not install the dependencies; see above\.\n$/, code: 1 },
];
for (const { name, npm, says, code } of installs)
  test(`the launcher ${name}`, (t) => {
    const clone = mkdtempSync(join(tmpdir(), "launcher-"));
    t.after(() => rmSync(clone, { recursive: true }));
    for (const folder of ["scripts", "node_modules"]) mkdirSync(join(clone, folder));
    cpSync(launcher, join(clone, "scripts/run.mjs"));
    writeFileSync(join(clone, "package-lock.json"), JSON.stringify(lockfile));
    writeFileSync(join(clone, "npm.cjs"), npm);
    writeFileSync(join(clone, "program.mjs"), "console.log('ran')");
    const env = { ...process.env, npm_execpath: join(clone, "npm.cjs") };
    const options = { cwd: clone, encoding: "utf8", env } as const;
    const ran = spawnSync(process.execPath, ["scripts/run.mjs", "program.mjs"], options);
    assert.deepEqual([ran.status, ran.stdout], [code, code === 0 ? "ran\n" : ""], ran.stderr);
    assert.match(ran.stderr, says);
    if (code === 0) assert.equal(spawnSync(process.execPath, ["scripts/run.mjs", "program.mjs"], options).stderr, "");
  });
