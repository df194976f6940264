import { Command } from 'commander';
import { describeVersion } from '../../relay/ground/version';
import { defineHubCommands } from './hub-commands';
import { defineLocalCommands } from './local-commands';

/** See `EXIT`. */
const EXIT_CODES = `
Exit codes:
  0   success
  1   rejected by the hub, or an unexpected error; the log has the details. doctor: problems found
  2   invalid command line
  3   the answer is no, such as a delivery that was waited for and failed; or that to a question was no
  65  backup, restore, move: done, but the consistency check found problems in the data
  66  what was asked for is no longer stored
  69  no hub responds, or the daemon is not running; serve, migrate, move: PostgreSQL cannot be reached
  75  the time to wait is up
  76  what responds is not a Switchboard hub, or one that is too old
  77  no token, or the hub does not accept it; connect: the consent failed
  78  invalid setting, file or environment`;

/**
 * The root command with all others. It only names them: what they do is imported on use.
 * @param json whether the caller prints invalid command lines, as JSON
 */
export function createProgram(json = false): Command {
  const program = new Command('switchboard')
    .description("Receives Co-Pilot's notifications, stores them, and delivers them to your targets.")
    .version(describeVersion())
    .addHelpText('after', EXIT_CODES)
    .configureOutput({ outputError: (text, write) => (json ? undefined : write(text)) })
    // Subcommands may have flags of the same name as their command.
    .enablePositionalOptions()
    .exitOverride();
  defineLocalCommands(program);
  defineHubCommands(program);
  return program;
}
