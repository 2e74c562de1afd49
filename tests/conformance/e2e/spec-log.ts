/**
 * What Kubernetes' test program says while it runs, by `--ginkgo.v`: which specs have ended, and how. With several processes a spec is told of once it
 * has ended: how stands before its name.
 */

export interface SpecResult {
  /** Without its labels. */
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** Why it failed: the first line. */
  readonly message: string;
  /** Where it failed, in the suite and in the log. */
  readonly place: string;
}

/** Reads a log line by line. */
export class SpecLog {
  readonly #file: string;
  #line = 0;
  #isFirst = false;
  /** Seconds of a spec that has passed, whose name comes with the next line. */
  #passed: number | undefined;
  #isNameNext = false;
  #name = "";
  #failing: { readonly seconds: number; readonly line: number; readonly message?: string } | undefined;
  /** How many specs there are to run; undefined until it says so. */
  planned: number | undefined;
  /** Whether it has come to its end by itself. */
  hasEnded = false;

  /** `file` is how places in it are named. */
  constructor(file: string) {
    this.#file = file;
  }

  /** Returns the spec whose end this line is. */
  read(line: string): SpecResult | undefined {
    this.#line++;
    if (line === delimiter) {
      const cutOff = this.#failed("");
      this.#isFirst = true;
      return cutOff;
    }
    const isEnd = this.#isFirst && end.test(line);
    if (this.#isFirst && !isEnd) this.#name = withoutLabels(line);
    this.#isFirst = false;
    if (this.#isNameNext) return this.#named(line);
    this.#isNameNext = isEnd;
    this.planned ??= numberIn(/^Will run (\d+) of \d+ specs$/, line);
    if (/^Ran \d+ of \d+ Specs in /.test(line)) this.hasEnded = true;
    return this.#ended(line);
  }

  #named(line: string): SpecResult | undefined {
    this.#isNameNext = false;
    this.#name = withoutLabels(line).replace(" [It] ", " ");
    const seconds = this.#passed;
    this.#passed = undefined;
    return seconds === undefined ? undefined : this.#pass(seconds);
  }

  #pass(seconds: number): SpecResult {
    return { name: this.#name, passed: true, seconds, message: "", place: "" };
  }

  #ended(line: string): SpecResult | undefined {
    const [, state, seconds] = end.exec(line) ?? [];
    if (seconds !== undefined && (state === undefined || state.startsWith("FLAKEY"))) {
      if (!this.#isNameNext) return this.#pass(Number(seconds));
      this.#passed = Number(seconds);
      return undefined;
    }
    if (seconds !== undefined) this.#failing = { seconds: Number(seconds), line: this.#line };
    if (this.#failing === undefined) return undefined;
    const message = /^ {2}\[[A-Z]+\] (?!in \[)(.*)$/.exec(line)?.[1];
    if (message !== undefined && this.#failing.message === undefined) this.#failing = { ...this.#failing, message };
    const location = /^ {2}In \[\w+\] at: (\S+) @ /.exec(line)?.[1];
    return location === undefined ? undefined : this.#failed(location.replace(/^.*\/kubernetes@[^/]+\//, ""));
  }

  #failed(location: string): SpecResult | undefined {
    if (this.#failing === undefined) return undefined;
    const { seconds, line, message = "" } = this.#failing;
    this.#failing = undefined;
    const place = [location, `${this.#file}:${line}`].filter((one) => one !== "").join(", ");
    return { name: this.#name, passed: false, seconds, message, place };
  }
}

const end = /^• (?:\[(.+)\] )?\[([\d.]+) seconds\]$/;

const delimiter = "------------------------------";

/** Labels stand behind a name, the first of them the group that it begins with. */
const withoutLabels = (line: string): string => line.replace(/^(\[(sig-[\w-]+)\].*?) \[\2(?:, [^\]]*)?\](?: \[[^\]]*\])*$/, "$1").trimEnd();

function numberIn(pattern: RegExp, line: string): number | undefined {
  const text = pattern.exec(line)?.[1];
  return text === undefined ? undefined : Number(text);
}
