/** The help of `coxswain` itself: its commands stand before its many options. */
import { Command, Help } from "commander";
import { subcommands } from "./subcommands.ts";

/** Lists the commands below `root`, each of which is parsed elsewhere: it has to be the first word. */
export function listSubcommands(root: Command): Command {
  for (const { name, summary } of subcommands) {
    const listed = new Command(name).description(summary).usage("").helpOption(false).allowUnknownOption().allowExcessArguments();
    root.addCommand(listed.action(() => root.error(`error: a command stands before all options: coxswain ${name} …`)));
  }
  return root
    .helpCommand("help [command]", "print the help of a command")
    .configureHelp({ formatHelp, subcommandTerm: (command) => command.name() })
    .addHelpText(
      "after",
      "\nWithout a command it runs a control plane until a signal ends it. `coxswain help <command>` has the options of a command.",
    );
}

function formatHelp(command: Command, helper: Help): string {
  const text = Help.prototype.formatHelp.call(helper, command, helper);
  const [options, commands] = [text.indexOf("\nOptions:\n"), text.indexOf("\nCommands:\n")];
  return `${text.slice(0, options)}${text.slice(commands)}${text.slice(options, commands)}`;
}
