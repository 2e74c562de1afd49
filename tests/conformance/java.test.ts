/** Programs in Java: one on the official client drives the real command, in JSON and in protobuf. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertAllOk, installed, readBeside, run, startWithShortHistory } from "./client-program.ts";

const source = join(import.meta.dirname, "java");
const manifests = ["kubectl", "python"].map((folder) => join(import.meta.dirname, folder, "manifest.yaml"));
const versions = await Promise.all(["java", "mvn"].map((program) => run(program, ["-version"], { timeoutMs: 60_000 })));

test("the Java client: typed and dynamic calls, patches, watches, informers, protobuf, objects of any kind", {
  skip: versions.every(({ code }) => code === 0) ? false : "Java and Maven are not installed",
  timeout: 10 * 60_000,
}, async (t) => {
  const library = await installed({
    name: "java",
    inputs: [readBeside(source, "pom.xml")],
    install(folder) {
      copyFileSync(join(source, "pom.xml"), join(folder, "pom.xml"));
      const copy = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";
      return run("mvn", ["-q", "-B", copy, "-DoutputDirectory=jars", "-DincludeScope=runtime"], { cwd: folder, timeoutMs: 5 * 60_000 });
    },
  });
  if ("missing" in library) {
    t.skip(library.missing);
    return;
  }
  const command = await startWithShortHistory(t);
  const args = ["-cp", join(library.folder, "jars", "*"), join(source, "Main.java"), command.kubeconfig, ...manifests];
  assertAllOk(await run("java", args, { cwd: command.directory, timeoutMs: 120_000 }), 11);
});
