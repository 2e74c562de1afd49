/** The distribution for Python, installed from its wheels where nothing knows of this repository. */
import assert from "node:assert/strict";
import { cpSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { pythonKit } from "../../scripts/build/kits/python-wheel.ts";
import { root } from "../../scripts/checks/tree.ts";
import { type Installed, installed, readBeside, run } from "../conformance/client-program.ts";
import { builtExecutable } from "./built-executable.ts";
import { builtWheels, version, type Wheels } from "./built-kits.ts";
import { type EmptyFolder, emptyFolder } from "./empty-folder.ts";
import { followPage } from "./followed-page.ts";

const python = await run("python3", ["--version"], { timeoutMs: hangMs });
const options = { skip: python.code === 0 ? false : "Python is not installed", timeout: 10 * 60_000 };

test("the wheels have the kit with its licence and version, and one of them the executable", options, async () => {
  const { platform, universal } = await builtWheels();
  const list = "import sys, zipfile; print(*sorted(zipfile.ZipFile(sys.argv[1]).namelist()), sep='\\n')";
  const [kit, carrying] = await Promise.all(
    [universal, platform].map(async (wheel) => (await succeeds("python3", ["-c", list, wheel])).trim().split("\n")),
  );
  const info = `coxswain-${version}.dist-info`;
  for (const file of [`${info}/licenses/LICENSE`, "coxswain/py.typed", "coxswain/pytest.py"]) assert.ok(kit?.includes(file), file);
  assert.deepEqual(
    kit?.filter((file) => !file.startsWith("coxswain/") && !file.startsWith(`${info}/`)),
    [],
  );
  const carried = ["coxswain/_bin/LICENCES.txt", "coxswain/_bin/coxswain", `coxswain-${version}.data/scripts/coxswain`];
  assert.deepEqual(carrying, [...(kit ?? []), ...carried].sort());
  assert.match(readBeside(pythonKit, "src/coxswain/__init__.py"), new RegExp(`__version__ = "${version}"`));
  assert.equal(readBeside(pythonKit, "LICENSE"), readBeside(root, "LICENSE"));
});

test(
  "the page about Python, the example project and the tests of the kit run with the wheel that carries the executable",
  options,
  async (t) => {
    const found = await wheelhouse();
    if ("missing" in found) return t.skip(found.missing);
    const folder = await emptyFolder(t);
    const env = pipEnvironment(await builtWheels(), found.folder);
    const printed = await followPage("docs/howto/use-from-python.md", folder, env);
    assert.equal(printed.get(".venv/bin/coxswain --version"), `${version}\n`);
    await inVenv(folder, env, ["pip", "install", "--quiet", "--no-compile", "-r", join(pythonKit, "requirements-dev.txt")]);

    cpSync(join(pythonKit, "example"), join(folder.path, "example"), { recursive: true });
    const example = await inVenv(
      folder,
      { TMPDIR: emptied(folder, "example-tmp") },
      ["pytest", "-q", "-n2", "--basetemp=../base"],
      "example",
    );
    assert.match(example, /^14 passed/m);
    assert.deepEqual(
      readdirSync(join(folder.path, "example-tmp")).filter((name) => name.startsWith("coxswain")),
      [],
    );

    // Without its sources: what runs is what was installed.
    for (const part of ["tests", "hatch_build.py", "pyproject.toml"])
      cpSync(join(pythonKit, part), join(folder.path, "kit", part), { recursive: true });
    assert.match(await inVenv(folder, {}, ["pytest", "-q", "-p", "no:asyncio"], "kit"), /^\d+ passed/m);
  },
);

test("mypy finds nothing in the kit, as strict as it can be", options, async (t) => {
  const found = await wheelhouse();
  if ("missing" in found) return t.skip(found.missing);
  const folder = await emptyFolder(t);
  await folder.run("python3", ["-m", "venv", ".venv"]);
  await inVenv(folder, pipEnvironment(await builtWheels(), found.folder), ["pip", "install", "-q", "--no-compile", "mypy", "pytest"]);
  for (const part of ["src", "tests", "pyproject.toml"]) cpSync(join(pythonKit, part), join(folder.path, "kit", part), { recursive: true });
  assert.match(await inVenv(folder, { MYPYPATH: "tests" }, ["mypy", "src", "tests"], "kit"), /no issues found/);
});

test("the wheel for every platform takes coxswain from PATH, and says where it looks for it", options, async (t) => {
  const folder = await emptyFolder(t);
  const { universal } = await builtWheels();
  await folder.run("python3", ["-m", "venv", ".venv"]);
  await inVenv(folder, {}, ["pip", "install", "-q", "--no-index", universal]);
  assert.ok(!readdirSync(join(folder.path, ".venv/bin")).includes("coxswain"));
  const program = "import coxswain\nwith coxswain.Cluster('--apiserver-only') as cluster: print(cluster.version)";
  const venvPython = join(folder.path, ".venv/bin/python");
  const without = await folder.run(venvPython, ["-c", program], { env: { PATH: "/absent" } });
  assert.match(without.stderr, /ExecutableNotFoundError: .*COXSWAIN_EXECUTABLE is not set.* wheel .* carries no executable.* PATH/);
  symlinkSync(await builtExecutable(), join(folder.path, "coxswain"));
  const ran = await folder.run(venvPython, ["-c", program], { env: { PATH: folder.path } });
  assert.deepEqual({ stdout: ran.stdout, code: ran.code }, { stdout: `${version}\n`, code: 0 }, ran.stderr);
});

/** What the page, the example and the checks install besides the kit, in exactly the versions that the requirements name. */
const wheelhouse = (): Promise<Installed> =>
  installed({
    name: "python-wheelhouse",
    inputs: [
      python.stdout,
      process.platform,
      process.arch,
      readBeside(pythonKit, "requirements-dev.txt"),
      readBeside(pythonKit, "example/requirements.txt"),
    ],
    install: (folder) =>
      run("python3", ["-m", "pip", "download", "-q", "--only-binary=:all:", "-d", folder, "-r", join(pythonKit, "requirements-dev.txt")], {
        timeoutMs: 5 * 60_000,
      }),
  });

/** The kit is in no registry yet; the rest comes from what was fetched in pinned versions. */
const pipEnvironment = ({ folder }: Wheels, wheelhouse: string): Record<string, string> => ({
  PIP_NO_INDEX: "1",
  PIP_NO_COMPILE: "1",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  PIP_FIND_LINKS: `${folder} ${wheelhouse}`,
});

async function inVenv(folder: EmptyFolder, env: Readonly<Record<string, string>>, args: readonly string[], cwd = "."): Promise<string> {
  const ran = await folder.run(join(folder.path, ".venv/bin/python"), ["-m", ...args], {
    env,
    cwd: join(folder.path, cwd),
    timeoutMs: hangMs,
  });
  assert.equal(ran.code, 0, `${args.join(" ")}\n${ran.stdout}${ran.stderr}`);
  return ran.stdout;
}

function emptied(folder: EmptyFolder, name: string): string {
  folder.write(join(name, ".keep"), "");
  return join(folder.path, name);
}

async function succeeds(program: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, { timeoutMs: hangMs });
  assert.equal(code, 0, stderr);
  return stdout;
}
