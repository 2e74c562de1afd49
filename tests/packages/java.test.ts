/** The jars for Java, from a Maven repository in a folder, in projects that know nothing of this repository. */
import assert from "node:assert/strict";
import { cpSync, existsSync, globSync, linkSync, mkdirSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { hangMs } from "@coxswain/machinery/testing";
import { javaKit } from "../../scripts/build/kits/java-repository.ts";
import { readBeside, run } from "../conformance/client-program.ts";
import { builtJavaRepository, version } from "./built-kits.ts";
import { type EmptyFolder, emptyFolder } from "./empty-folder.ts";
import { followPage } from "./followed-page.ts";

const programs = await Promise.all(["javac", "mvn"].map((program) => run(program, ["-version"], { timeoutMs: hangMs })));
const options = { skip: programs.every(({ code }) => code === 0) ? false : "Java and Maven are not installed", timeout: 10 * 60_000 };

test("the jars have the kit with its licence and version, and one of them the executable", options, async () => {
  const repository = join(await builtJavaRepository(), "io/coxswain");
  const entries = async (artifact: string): Promise<string[]> => {
    const jar = join(repository, artifact, version, `${artifact}-${version}.jar`);
    const { code, stdout, stderr } = await run("jar", ["--list", "--file", jar], { timeoutMs: hangMs });
    assert.equal(code, 0, stderr);
    return stdout.split("\n").filter((entry) => entry !== "" && !entry.endsWith("/") && !entry.startsWith("META-INF/maven/"));
  };
  const kit = await entries("coxswain-junit5");
  for (const file of ["META-INF/LICENSE", "io/coxswain/Cluster.class", "io/coxswain/junit5/CoxswainTest.class"])
    assert.ok(kit.includes(file), file);
  assert.deepEqual(
    kit.filter((file) => /Test\.class$/.test(file)),
    ["io/coxswain/junit5/CoxswainTest.class"],
  );
  assert.deepEqual((await entries("coxswain-executable-linux-x86_64")).sort(), [
    "META-INF/LICENSE",
    "META-INF/LICENSE-executable.txt",
    "META-INF/MANIFEST.MF",
    "io/coxswain/executable/linux-x86_64/coxswain",
    "io/coxswain/executable/linux-x86_64/coxswain.sha256",
  ]);
  // Nothing of what this machine has in its own repository is named.
  for (const pom of globSync("*/*/*.pom", { cwd: repository })) assert.doesNotMatch(readBeside(repository, pom), /file:|<repositor/);
  assert.match(readBeside(javaKit, "example/pom.xml"), new RegExp(`<coxswain.version>${version}<`));
});

test("the page about Java and the example project run with the jars, and nothing is left of their servers", options, async (t) => {
  const folder = await emptyFolder(t);
  const env = { XDG_CACHE_HOME: join(folder.path, "cache"), TMPDIR: join(folder.path, "tmp") };
  mkdirSync(env.TMPDIR);
  await ownLocalRepository(folder, await builtJavaRepository());
  await followPage("docs/howto/use-from-java.md", folder, env);
  const extracted = globSync("cache/coxswain/executable-*/*", { cwd: folder.path });
  assert.match(extracted.join(), /^cache\/coxswain\/executable-[0-9a-f]{64}\/coxswain$/);

  cpSync(join(javaKit, "example"), join(folder.path, "example"), { recursive: true, filter: (path) => !path.endsWith("/target") });
  cpSync(join(folder.path, ".mvn"), join(folder.path, "example/.mvn"), { recursive: true });
  const ran = await folder.run("mvn", ["-B", "test"], { env, cwd: join(folder.path, "example"), timeoutMs: hangMs });
  assert.equal(ran.code, 0, ran.stdout);
  assert.match(ran.stdout, /Tests run: 9, Failures: 0, Errors: 0, Skipped: 0$/m);
  assert.deepEqual(globSync("cache/coxswain/executable-*/*", { cwd: folder.path }), extracted);
  assert.deepEqual(readdirSync(env.TMPDIR), []);
  keepDownloads(folder);
});

const userRepository = join(homedir(), ".m2/repository");

/**
 * A local repository for the folder alone, because a release that Maven has once it never asks for again: it starts with what the
 * user's has, except for us. Settings of the folder add the repository to those that Maven asks.
 */
async function ownLocalRepository(folder: EmptyFolder, repository: string): Promise<void> {
  linkTree(userRepository, join(folder.path, "repository"));
  folder.write(
    "settings.xml",
    `<settings>
  <localRepository>${join(folder.path, "repository")}</localRepository>
  <profiles><profile>
    <id>folder</id>
    <repositories><repository><id>folder</id><url>${pathToFileURL(repository)}</url></repository></repositories>
  </profile></profiles>
  <activeProfiles><activeProfile>folder</activeProfile></activeProfiles>
</settings>
`,
  );
  folder.write(".mvn/maven.config", `--settings\n${join(folder.path, "settings.xml")}\n`);
}

/** So that the next run does not fetch them. */
const keepDownloads = (folder: EmptyFolder): void => linkTree(join(folder.path, "repository"), userRepository);

/** Links what is not there yet; where a link cannot be made, as across file systems, it copies. */
function linkTree(from: string, to: string): void {
  for (const entry of globSync("**/*", { cwd: from, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(from.length);
    if (!entry.isFile() || path.startsWith("/io/coxswain/") || existsSync(to + path)) continue;
    mkdirSync(dirname(to + path), { recursive: true });
    try {
      linkSync(from + path, to + path);
    } catch {
      cpSync(from + path, to + path);
    }
  }
}
