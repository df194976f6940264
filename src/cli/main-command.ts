import { Command } from 'commander';
import { VERSION } from '../relay/ground/version';
import { connectCommand } from './connect';
import { demoCommand } from './demo';
import { disconnectCommand } from './disconnect';
import { doctorCommand } from './doctor';
import { loginLinkCommand } from './login-link';
import { sandboxCommand } from './sandbox';
import { serveCommand } from './serve';
import { statusCommand } from './status';

/** Documented in `--help`. 78 is EX_CONFIG of sysexits.h, 69 EX_UNAVAILABLE. */
const EXIT_CODES = `
Exit codes:
  0   done
  1   something failed that should not; the log says what. doctor: something is wrong
  2   the command line could not be understood
  69  the daemon does not answer
  75  connect: no consent came in time
  77  connect: the consent did not lead to a connection
  78  a setting, a file or the environment has to be changed first`;

/** The whole command line. @throws CommanderError where it could not be understood, and after help */
export function mainCommand(): Command {
  const program = new Command('switchboard')
    .description("Receives Co-Pilot's notifications, stores them, and hands them to your targets.")
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
  ];
  for (const command of commands) program.addCommand(command.copyInheritedSettings(program));
  return program;
}
