import { Command } from 'commander';
import { VERSION } from '../relay/ground/version';
import { backupCommand } from './backup';
import { connectCommand } from './connect';
import { demoCommand } from './demo';
import { disconnectCommand } from './disconnect';
import { doctorCommand } from './doctor';
import { loginLinkCommand } from './login-link';
import { migrateCommand } from './migrate';
import { moveCommand } from './move';
import { restoreCommand } from './restore';
import { sandboxCommand } from './sandbox';
import { serveCommand } from './serve';
import { statusCommand } from './status';

/** See `EXIT`. */
const EXIT_CODES = `
Exit codes:
  0   success
  1   unexpected error; the log has the details. doctor: problems found
  2   invalid command line
  65  backup, restore, move: done, but the consistency check found problems in the data
  69  the daemon is not running or does not respond; serve, migrate, move: PostgreSQL cannot be reached
  75  connect: timed out waiting for the consent
  77  connect: the consent failed
  78  invalid setting, file or environment`;

/** The root command. @throws CommanderError if the command line is invalid, and after printing help */
export function mainCommand(): Command {
  const program = new Command('switchboard')
    .description("Receives Co-Pilot's notifications, stores them, and delivers them to your targets.")
    .version(VERSION)
    .addHelpText('after', EXIT_CODES)
    .exitOverride();
  const commands = [
    serveCommand(),
    demoCommand(),
    sandboxCommand(),
    connectCommand(),
    disconnectCommand(),
    statusCommand(),
    doctorCommand(),
    loginLinkCommand(),
    backupCommand(),
    restoreCommand(),
    migrateCommand(),
    moveCommand(),
  ];
  for (const command of commands) program.addCommand(command.copyInheritedSettings(program));
  return program;
}
