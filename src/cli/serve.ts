import { Command } from 'commander';
import { readSettings } from '../relay/settings/read-settings';
import { runUntilSignal } from './run-until-signal';
import { environmentWith, withSettings, type SettingsFlags } from './settings-options';

export function serveCommand(): Command {
  const command = new Command('serve').description('run the daemon (settings: README, .env.example)');
  return withSettings(command, ['host', 'port', 'publicUrl', 'dataDir', 'logLevel']).action(serve);
}

async function serve(flags: SettingsFlags): Promise<void> {
  const settings = readSettings(environmentWith(flags));
  // Only now: the other commands should not wait for the whole daemon to be loaded.
  const { createLog } = await import('../relay/ground/log.js');
  const log = createLog(settings.logLevel, process.stdout.isTTY);
  const { startRelay } = await import('../relay/start-relay.js');
  const starting = startRelay(settings, { log });
  // Before it has left its address: whoever finds it may stop it at once.
  runUntilSignal(log, async () => (await starting).stop());
  const relay = await starting;
  // Standard error, so that the link never gets into collected logs.
  if (relay.firstStart)
    process.stderr.write(
      `\nOpen the dashboard (once, within 15 minutes):\n  ${await relay.makeLoginLink()}\n\n`,
    );
}
