/** Lets pure functions convert through a webhook: they cannot wait, so they are called again once the answers are there. */
import { convertObject } from "@coxswain/api";
import { type KubeObject, stringifyJson } from "@coxswain/machinery";
import type { ServedResource } from "../contracts/served-resource.ts";
import { isConverted } from "./versions.ts";

export type Convert = (object: Readonly<KubeObject>, from: ServedResource, to: ServedResource) => KubeObject;

export const convertByRules: Convert = (object, from, to) => convertObject(object as KubeObject, from.definition, to.definition);

interface Question {
  readonly key: string;
  readonly object: Readonly<KubeObject>;
  readonly to: ServedResource;
}

/**
 * What `compute` makes of its conversions. It may be called several times, so it must not change what it is given; where
 * nothing has to be asked, it is called once, with the rules themselves, and its result is there at once.
 */
export const withConversions = <T>(resource: ServedResource, compute: (convert: Convert) => T): T | Promise<T> =>
  isConverted(resource) ? withAnswers(compute) : compute(convertByRules);

async function withAnswers<T>(compute: (convert: Convert) => T): Promise<T> {
  const answers = new Map<string, KubeObject>();
  for (;;) {
    const open = new Map<string, Question>();
    const outcome = attempt(() =>
      compute((object, from, to) => {
        const key = `${to.apiVersion} ${stringifyJson(object)}`;
        const known = answers.get(key);
        if (known === undefined) open.set(key, { key, object, to });
        // Until the answer is there, any object of the version will do: what comes of it is thrown away.
        return known ?? convertByRules(object, from, to);
      }),
    );
    if (open.size === 0) return outcome();
    for (const [to, questions] of Map.groupBy(open.values(), (question) => question.to)) {
      const converted = await to.definition.custom?.conversion?.convert(
        questions.map(({ object }) => object),
        to.apiVersion,
      );
      for (const [i, { key, object }] of questions.entries()) answers.set(key, (converted?.[i] ?? object) as KubeObject);
    }
  }
}

/** Failures too are thrown away with what they came from. */
function attempt<T>(compute: () => T): () => T {
  try {
    const value = compute();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
