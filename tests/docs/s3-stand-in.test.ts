/** The stand-in for S3 answers as S3 does; what that is, is tried out on another implementation as well, and the example with it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { outputOf, recordOf } from "../../examples/support/output.ts";
import { isS3Error, s3Client } from "../../examples/support/s3.ts";
import { S3StandIn } from "../../examples/support/s3-stand-in.ts";
import { installed, readBeside, run } from "../conformance/client-program.ts";
import { freePort } from "../free-port.ts";

const source = join(import.meta.dirname, "moto");
const region = "eu-central-1";
const account = { accessKeyId: "AKIDONE", secretAccessKey: "one" };
const other = { accessKeyId: "AKIDTWO", secretAccessKey: "two" };
const standIn = () => new S3StandIn({ region, accounts: [account, other] });

test("in process", async () => {
  const { fetch } = standIn();
  await speaksS3({ endpoint: "http://s3.example", fetch });
  await keepsAccountsApart({ endpoint: "http://s3.example", fetch });
});

test("over HTTP", async () => {
  await using server = await standIn().listen();
  await speaksS3(server);
  await keepsAccountsApart(server);
});

test("another implementation of S3, and the example on it", { timeout: 10 * 60_000 }, async (t) => {
  const endpoint = await startMoto(t);
  if (endpoint === undefined) return;
  await speaksS3({ endpoint });
  const printed = await outputOf("05-bucket-controller", { S3_ENDPOINT: endpoint });
  // The times of the attempts are the real ones there.
  const timeless = (text: string) => text.replace(/(\d+, )+\d+ ms/, "… ms");
  assert.equal(timeless(printed), timeless(readFileSync(recordOf("05-bucket-controller"), "utf8")));
});

type Server = Pick<Parameters<typeof s3Client>[0], "endpoint" | "fetch">;

async function speaksS3(server: Server): Promise<void> {
  const s3 = s3Client({ ...server, region, ...account });
  const refused = (code: string, call: Promise<unknown>) =>
    assert.rejects(call, (error) => isS3Error(error, code) || assert.fail(String(error)));
  assert.equal(await s3.tagsOf("photos"), undefined);
  await refused("NoSuchBucket", s3.setTags("photos", { a: "1" }));
  await refused("NoSuchBucket", s3.deleteBucket("photos"));
  await refused("InvalidBucketName", s3.createBucket("ab"));
  await s3.createBucket("photos");
  await refused("BucketAlreadyOwnedByYou", s3.createBucket("photos"));
  assert.deepEqual(await s3.tagsOf("photos"), {});
  const tags = { team: "web", note: "a+b = c/d @ e.f_g:h-i" };
  await s3.setTags("photos", tags);
  assert.deepEqual(await s3.tagsOf("photos"), tags);
  await s3.putObject("photos", "cats/tom.jpg", "meow");
  await refused("BucketNotEmpty", s3.deleteBucket("photos"));
  await s3.deleteObject("photos", "cats/tom.jpg");
  await s3.deleteBucket("photos");
  assert.equal(await s3.tagsOf("photos"), undefined);
}

async function keepsAccountsApart(server: Server): Promise<void> {
  const [ours, theirs] = [account, other].map((keys) => s3Client({ ...server, region, ...keys }));
  await ours?.createBucket("letters");
  await assert.rejects(theirs?.createBucket("letters") ?? assert.fail(), { code: "BucketAlreadyExists" });
  await assert.rejects(theirs?.tagsOf("letters") ?? assert.fail(), { code: "AccessDenied" });
  const forged = s3Client({ ...server, region, ...account, secretAccessKey: "guessed" });
  await assert.rejects(forged.tagsOf("letters"), { code: "SignatureDoesNotMatch" });
}

/** Undefined, and the test is skipped, where it cannot be installed. */
async function startMoto(t: TestContext): Promise<string | undefined> {
  const python = await run("python3", ["--version"], { timeoutMs: hangMs });
  if (python.code !== 0) return void t.skip("Python is not installed");
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"];
  const library = await installed({
    name: "moto",
    inputs: [python.stdout, process.platform, process.arch, readBeside(source, "requirements.txt")],
    install: (folder) => run("python3", [...pip, "--target", folder, "-r", "requirements.txt"], { cwd: source, timeoutMs: 5 * 60_000 }),
  });
  if ("missing" in library) return void t.skip(library.missing);
  const port = await freePort();
  const env = { ...process.env, PYTHONPATH: library.folder, PYTHONDONTWRITEBYTECODE: "1" };
  const server = spawn("python3", ["-m", "moto.server", "-H", "127.0.0.1", "-p", String(port)], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  t.after(() => server.kill());
  await new Promise<void>((resolve, reject) => {
    server.stderr.on("data", (text) => String(text).includes("Running on") && resolve());
    server.on("exit", () => reject(new Error("moto has ended")));
  });
  return `http://127.0.0.1:${port}`;
}
