/** Programs in Java: one on the official client and one on fabric8's, which operators use, drive the real command. */
import assert from "node:assert/strict";
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { assertAllOk, type Installed, installed, type Ran, readBeside, run } from "./client-program.ts";
import { startWithShortHistory } from "./short-history.ts";

const manifests = ["kubectl", "python"].map((folder) => join(import.meta.dirname, folder, "manifest.yaml"));
const versions = await Promise.all(["javac", "mvn"].map((program) => run(program, ["-version"], { timeoutMs: hangMs })));
const skip = versions.every(({ code }) => code === 0) ? false : "Java and Maven are not installed";

const programs = [
  {
    name: "official",
    does: "typed and dynamic calls, patches, apply, watches, informers, protobuf, elections, objects of any kind",
    checks: 17,
  },
  {
    name: "fabric8",
    does: "typed and generic calls, apply, watches over WebSocket, informers, elections, objects of any kind",
    checks: 39,
  },
];
for (const { name, does, checks } of programs) {
  test(`the Java client, ${name}: ${does}`, { skip, timeout: 10 * 60_000 }, async (t) => {
    const source = join(import.meta.dirname, "java", name);
    const library = await jars(name, source);
    if ("missing" in library) {
      t.skip(library.missing);
      return;
    }
    const program = await classes(name, source, join(library.folder, "jars", "*"));
    assert.ok("folder" in program, "missing" in program ? program.missing : "");
    const command = await startWithShortHistory(t);
    const args = ["-cp", `${program.folder}:${join(library.folder, "jars", "*")}`, "Main", command.kubeconfig, ...manifests];
    assertAllOk(await run("java", args, { cwd: command.directory, timeoutMs: hangMs }), checks);
  });
}

/** Fetched once: what Maven has on this machine it does not ask the network for. */
function jars(name: string, source: string): Promise<Installed> {
  return installed({
    name: `java-${name}`,
    inputs: [readBeside(source, "pom.xml")],
    async install(folder) {
      copyFileSync(join(source, "pom.xml"), join(folder, "pom.xml"));
      const copy = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";
      return withOutput(
        await run("mvn", ["-q", "-B", copy, "-DoutputDirectory=jars", "-DincludeScope=runtime"], { cwd: folder, timeoutMs: 5 * 60_000 }),
      );
    },
  });
}

/** Maven writes its errors to standard output. */
const withOutput = (ran: Ran): Ran => ({ ...ran, stderr: `${ran.stdout}\n${ran.stderr}` });

function classes(name: string, source: string, classPath: string): Promise<Installed> {
  const files = readdirSync(source).filter((file) => file.endsWith(".java"));
  return installed({
    name: `java-${name}-program`,
    inputs: [versions[0]?.stdout ?? "", readBeside(source, "pom.xml"), ...files.map((file) => file + readBeside(source, file))],
    install: (folder) => run("javac", ["--release", "17", "-cp", classPath, "-d", folder, ...files], { cwd: source, timeoutMs: hangMs }),
  });
}
