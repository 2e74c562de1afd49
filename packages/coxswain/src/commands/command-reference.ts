/** The reference of the command, made of what its parser knows: docs/reference/command.md. */
import { join } from "node:path";
import type { Command, Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { commandTree } from "./command-tree.ts";

/** Of the repository; what is published does not have it. */
export const referenceFile = join(import.meta.dirname, "../../../../docs/reference/command.md");

/** The same on every machine. */
const env = { XDG_DATA_HOME: "/home/jane/.local/share", HOME: "/home/jane" };

export function commandReference(): string {
  const silent = { print: () => undefined, printError: () => undefined };
  const tree = commandTree(env, manifest.version, silent);
  return `# Commands and options

Everything that \`coxswain\` takes, as \`coxswain --help\` and \`coxswain help <command>\` print it; from a clone it is
\`npm start --\`, from npm \`npx coxswain\`. This page is made of the parser (\`npm run fix:command-reference\`).

| command | |
| --- | --- |
| [\`coxswain\`](#coxswain) | run a control plane until a signal ends it |
${tree.below.map(({ name, summary }) => `| [\`coxswain ${name}\`](#coxswain-${name}) | ${cell(summary)} |`).join("\n")}
| \`coxswain help <command>\` | the help of a command; \`-h\` and \`--help\` behind it do the same |
| \`coxswain version\` | the version, as \`-v\`, \`-V\` and \`--version\` do |

${[tree.root, ...tree.below.map(({ command }) => command)].map(sectionOf).join("\n\n")}
`;
}

function sectionOf(command: Command): string {
  const help = command.createHelp();
  const values = command.registeredArguments.map(
    (argument) => `| \`${help.argumentTerm(argument)}\` | ${cell(help.argumentDescription(argument))} |`,
  );
  const options = help.visibleOptions(command).map((option) => `| \`${option.flags}\` | ${cell(descriptionOf(option))} |`);
  return `## ${command.name()}

${command.description()}

\`\`\`text
${command.name()} ${command.usage()}
\`\`\`

| ${values.length === 0 ? "" : "argument or "}option | |
| --- | --- |
${[...values, ...options].join("\n")}`;
}

/** Choices and default as the help prints them, without defaults that are nothing. */
function descriptionOf({ description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const shown = defaultValueDescription ?? (isNothing(defaultValue) ? undefined : String(defaultValue));
  const details = [argChoices?.join(", "), shown === undefined ? undefined : `default: ${shown}`].filter((text) => text !== undefined);
  return details.length === 0 ? description : `${description} (${details.join("; ")})`;
}

/** Of an option that is given or not, and of lists without anything in them. */
const isNothing = (value: unknown): boolean =>
  value === undefined || typeof value === "boolean" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

const cell = (text: string): string => text.replace(/[|<>*]/g, (sign) => `\\${sign}`);
