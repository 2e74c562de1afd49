/** A shell in a simulated container: enough of POSIX' language for those who look into one, and for what tools begin with. */
import { trimRight } from "@coxswain/machinery";
import type { Streams } from "../streams.ts";
import { builtins } from "./builtins.ts";
import { Exit, type ShellContext } from "./context.ts";
import { Input } from "./input.ts";
import { Unfinished } from "./lexer.ts";
import { type Command, type List, type Pipeline, parseScript, type Redirect } from "./parse.ts";
import { expandWords, type Variables } from "./variables.ts";

/** `sh -c script name args…`, or a script on its input. @returns the exit code */
export async function runShell(args: readonly string[], streams: Streams, context: ShellContext): Promise<number> {
  const shell = new Shell(context);
  const at = args.findIndex((arg) => /^-\w+$/.test(arg) && arg.includes("c"));
  if (at >= 0) {
    const [script = "", , ...positional] = args.slice(at + 1);
    context.variables.positional = positional;
    return await shell.script(script, streams);
  }
  return await shell.read(streams);
}

class Shell {
  readonly #context: ShellContext;

  constructor(context: ShellContext) {
    this.#context = context;
  }

  async script(text: string, streams: Streams): Promise<number> {
    return await exitCodeOf(async () => {
      const list = parsed(text, streams);
      return list === undefined ? 2 : await this.#list(list, streams);
    });
  }

  /** A line at a time; what a line begins the next may end. */
  async read(streams: Streams): Promise<number> {
    const input = Input.of(streams.stdin);
    return await exitCodeOf(async () => {
      let pending = "";
      for (let line = await input.line(); line !== undefined; line = await input.line()) {
        pending += `${line}\n`;
        try {
          const list = parseScript(pending);
          pending = "";
          await this.#list(list, { ...streams, stdin: input });
        } catch (error) {
          if (error instanceof Unfinished) continue;
          if (!(error instanceof SyntaxError)) throw error;
          pending = "";
          streams.stderr(`sh: ${error.message}\n`);
          this.#context.variables.status = 2;
        }
      }
      return this.#context.variables.status;
    });
  }

  async #list(list: List, streams: Streams): Promise<number> {
    const { variables, around } = this.#context;
    for (const pipeline of list) {
      around.signal.throwIfAborted();
      const succeeded = variables.status === 0;
      if (pipeline.when === "succeeded" ? !succeeded : pipeline.when === "failed" && succeeded) continue;
      const code = await this.#pipeline(pipeline, streams);
      variables.status = pipeline.negated ? (code === 0 ? 1 : 0) : code;
    }
    return variables.status;
  }

  async #pipeline({ commands }: Pipeline, streams: Streams): Promise<number> {
    let { stdin } = streams;
    let code = 0;
    for (const [index, command] of commands.entries()) {
      if (index === commands.length - 1) code = await this.#command(command, { ...streams, stdin });
      else {
        let text = "";
        const collect = (more: string): void => {
          text += more;
        };
        const part = new Shell({ ...this.#context, variables: this.#context.variables.copy() });
        await exitCodeOf(() => part.#command(command, { ...streams, stdin, stdout: collect }));
        stdin = Input.from(text);
      }
    }
    return code;
  }

  async #command(command: Command, streams: Streams): Promise<number> {
    switch (command.kind) {
      case "simple":
        return await this.#simple(command, streams);
      case "if": {
        for (const { condition, body } of command.branches)
          if ((await this.#inner(condition, streams)) === 0) return await this.#inner(body, streams);
        return await this.#inner(command.otherwise, streams);
      }
      case "group": {
        const redirected = await this.#redirect(command.redirects, streams);
        if (redirected === undefined) return 1;
        if (!command.subshell) return await this.#inner(command.body, redirected);
        const inner = new Shell({ ...this.#context, variables: this.#context.variables.copy() });
        return await exitCodeOf(() => inner.#inner(command.body, redirected));
      }
    }
  }

  /** Of nothing, success. */
  #inner(list: List, streams: Streams): Promise<number> {
    this.#context.variables.status = 0;
    return this.#list(list, streams);
  }

  async #simple({ words, redirects }: Command & { readonly kind: "simple" }, streams: Streams): Promise<number> {
    const { variables } = this.#context;
    const expanded = await expandWords(words, variables, (script) => this.#outputOf(script, streams));
    const redirected = await this.#redirect(redirects, streams);
    if (redirected === undefined) return 1;
    const first = expanded.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
    const assignments = first < 0 ? expanded : expanded.slice(0, first);
    const scope = first < 0 ? variables : variables.copy();
    for (const assignment of assignments) scope.assign(assignment, first >= 0);
    if (first < 0) return 0;
    // Builtins change the shell itself, whatever is assigned in front of them.
    const [name = "", ...args] = expanded.slice(first);
    return await this.run(name, args, redirected, assignments.length > 0 && !(name in builtins) ? scope : variables);
  }

  async run(name: string, args: readonly string[], streams: Streams, variables: Variables): Promise<number> {
    const builtin = builtins[name];
    const context = { ...this.#context, variables };
    if (builtin !== undefined)
      return await builtin(args, streams, { ...context, run: (inner, rest) => this.run(inner, rest, streams, variables) });
    const program = this.#context.program(name);
    if (program === undefined) {
      streams.stderr(`${name}: not found in a simulated container\n`);
      return 127;
    }
    const { around } = this.#context;
    return await program(args, streams, { ...around, config: { ...around.config, env: variables.exported() } });
  }

  async #outputOf(script: string, streams: Streams): Promise<string> {
    let text = "";
    const collect = (more: string): void => {
      text += more;
    };
    const inner = new Shell({ ...this.#context, variables: this.#context.variables.copy() });
    this.#context.variables.status = await inner.script(script, { ...streams, stdout: collect });
    return trimRight(text, "\n");
  }

  /** Undefined where a file would be needed: there are none. */
  async #redirect(redirects: readonly Redirect[], streams: Streams): Promise<Streams | undefined> {
    let now = streams;
    for (const { descriptor, operator, target } of redirects) {
      const [path = ""] = await expandWords([target], this.#context.variables, (script) => this.#outputOf(script, streams));
      if (operator === ">&" && (path === "1" || path === "2")) {
        const { stdout, stderr } = now;
        const to = path === "1" ? stdout : stderr;
        now = descriptor === "2" ? { ...now, stderr: to } : { ...now, stdout: to };
      } else if (path !== "/dev/null") {
        const what = operator === "<" ? "can't open" : "can't create";
        streams.stderr(`sh: ${what} ${path}: there are no files in a simulated container\n`);
        return undefined;
      } else if (descriptor === "0") now = { ...now, stdin: Input.from("") };
      else now = { ...now, ...(descriptor === "2" ? {} : { stdout: drop }), ...(descriptor === "1" ? {} : { stderr: drop }) };
    }
    return now;
  }
}

const drop = (): void => undefined;

function parsed(text: string, streams: Streams): List | undefined {
  try {
    return parseScript(text);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof Unfinished)) throw error;
    streams.stderr(`sh: ${error instanceof Unfinished ? `syntax error: ${error.message}` : error.message}\n`);
    return undefined;
  }
}

async function exitCodeOf(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Exit) return error.code;
    throw error;
  }
}
