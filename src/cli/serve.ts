import { readSettings } from '../relay/settings/read-settings';
import { runUntilSignal } from './run-until-signal';
import { passedSocket, ServiceManager } from './service-manager';
import { lowerV8Threads } from './lower-v8-threads';
import { shrinkHeapWhenIdle } from './shrink-heap';
import type { SettingsFlags } from './definitions/settings-flags';
import { doubtsAbout, environmentWith } from './environment';

export async function serve(flags: SettingsFlags): Promise<void> {
  lowerV8Threads();
  const environment = environmentWith(flags);
  const settings = readSettings(environment);
  // Imported here, so that other commands do not load the whole daemon.
  const { createLog } = await import('../relay/ground/log.js');
  const log = createLog(settings.logLevel, process.stdout.isTTY);
  for (const { where, what, remedy } of doubtsAbout(environment)) log.warn({ setting: where, remedy }, what);
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
  shrinkHeapWhenIdle();
  if (relay.firstStart) printLoginLink(await relay.makeLoginLink());
}

/** On standard error, which keeps it out of collected logs; as JSON if that goes to where the log goes. */
function printLoginLink(link: string): void {
  const text = 'Open the dashboard (the link works once, within 15 minutes)';
  process.stderr.write(
    process.stderr.isTTY
      ? `\n${text}:\n  ${link}\n\n`
      : `${JSON.stringify({ msg: text, login_link: link })}\n`,
  );
}
