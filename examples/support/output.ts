/** Which examples there are, and what they print. */
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

export const folder: string = join(import.meta.dirname, "..");

/** The files of all examples, in order. */
export const examples = (): string[] =>
  readdirSync(folder)
    .filter((file) => /^\d\d-.*\.ts$/.test(file))
    .sort();

/** Real containers, which want root and containerd: tests/kubelet/real-containers has its test. */
export const microservices = "11-microservices";

/** `01-embed-a-cluster` and so on, in order; those that are tests themselves, or need more than npm, are not among them. */
export const stories = (): string[] =>
  examples()
    .filter((file) => !/\.(test|spec)\.ts$/.test(file))
    .map((file) => file.slice(0, -".ts".length))
    .filter((story) => story !== microservices);

/** Where what an example prints is kept. */
export const recordOf = (story: string): string => join(folder, `${story}.txt`);

/** @throws Error when it fails, with what it said */
export async function outputOf(story: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { COXSWAIN_EXAMPLE_KUBECONFIG: _, S3_ENDPOINT: __, ...own } = process.env;
  const options = { env: { ...own, ...env }, timeout: 600_000 };
  return (await promisify(execFile)(process.execPath, [join(folder, `${story}.ts`)], options)).stdout;
}
