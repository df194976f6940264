import { Command } from 'commander';
import { readSettings } from '../relay/settings/read-settings';
import { runUntilSignal } from './run-until-signal';
import { passedSocket, ServiceManager } from './service-manager';
import { shrinkHeapOnceIdle } from './shrink-heap';
import { environmentWith, withSettings, type SettingsFlags } from './settings-options';

export function serveCommand(): Command {
  const command = new Command('serve').description(
    'run the daemon (for settings see README and .env.example)',
  );
  return withSettings(command, ['host', 'port', 'publicUrl', 'allowHttp', 'dataDir', 'logLevel']).action(
    serve,
  );
}

async function serve(flags: SettingsFlags): Promise<void> {
  const settings = readSettings(environmentWith(flags));
  // Imported here, so that other commands do not load the whole daemon.
  const { createLog } = await import('../relay/ground/log.js');
  const log = createLog(settings.logLevel, process.stdout.isTTY);
  const { startRelay } = await import('../relay/start-relay.js');
  const manager = new ServiceManager(process.env, log);
  const starting = startRelay(settings, { log, listenFd: passedSocket(process.env) });
  // Before the address file exists: another process may signal the daemon as soon as it finds that file.
  runUntilSignal(log, async () => {
    manager.stopping();
    await (await starting).stop();
  });
  const relay = await starting;
  manager.ready();
  shrinkHeapOnceIdle();
  // On standard error, which keeps the link out of collected logs.
  if (relay.firstStart)
    process.stderr.write(
      `\nOpen the dashboard (the link works once, within 15 minutes):\n  ${await relay.makeLoginLink()}\n\n`,
    );
}
