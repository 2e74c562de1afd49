/**
 * A folder of other people's CustomResourceDefinitions, a subfolder for each project:
 *
 *     PROJECT/crds/*.yaml     one definition each
 *     PROJECT/samples/*.yaml  one object each
 *     PROJECT/answers.json    optional: what Kubernetes makes of the samples, by the name of the file
 *                             (names that it would generate end in `abcde`)
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { apiextensionsV1 } from "@coxswain/api";
import { DecodeError, DecodeReport, type KubeObject, parseYaml } from "@coxswain/machinery";

export type Definition = Document<apiextensionsV1.CustomResourceDefinition>;
export type Sample = Document<KubeObject>;

export interface Project {
  readonly name: string;
  readonly definitions: readonly Definition[];
  readonly samples: readonly Sample[];
  readonly answers: Readonly<Record<string, Answer>> | undefined;
}

export interface Document<T> {
  /** Where it is, and its name in that folder. */
  readonly path: string;
  readonly file: string;
  readonly text: string;
  readonly object: T;
  /** What strict reading refuses: keys given twice, or no YAML at all, where `object` is empty. */
  readonly problems: readonly string[];
}

/** Of a sample that is created: what it is refused for (`reason|field|message`, sorted; or other words), or what it becomes. */
export type Answer = { readonly refused: readonly string[] } | { readonly object: KubeObject };

export async function readProjects(folder: string): Promise<Project[]> {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "crds")));
  return Promise.all(names.sort().map((name) => readProject(folder, name)));
}

async function readProject(folder: string, name: string): Promise<Project> {
  const answers = join(folder, name, "answers.json");
  return {
    name,
    definitions: await readDocuments(join(folder, name, "crds")),
    samples: await readDocuments(join(folder, name, "samples")),
    answers: existsSync(answers) ? (JSON.parse(readFileSync(answers, "utf8")) as Record<string, Answer>) : undefined,
  };
}

async function readDocuments<T>(folder: string): Promise<Document<T>[]> {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".yaml"));
  return Promise.all(
    files.sort().map(async (file) => {
      const path = join(folder, file);
      const text = readFileSync(path, "utf8");
      return { path, file, text, ...(await read<T>(text)) };
    }),
  );
}

async function read<T>(text: string): Promise<Pick<Document<T>, "object" | "problems">> {
  const report = new DecodeReport();
  try {
    return { object: (await parseYaml(text, { report })) as T, problems: report.problems };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { object: {} as T, problems: [error.message] };
  }
}
