import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { systemRandom } from '../relay/ground/random';
import { StartupError } from '../relay/ground/relay-error';
import { loadAdminToken } from '../relay/secrets/secret-files';
import { isLoopbackName } from '../relay/settings/loopback';
import { readSettings, type Environment } from '../relay/settings/read-settings';
import { consentInDemo } from './demo-consent';
import { loadDemoConfig, type DemoConfig } from './demo-config';
import { startSampleTarget } from './demo-target';
import { parseNonNegativeNumber } from './parse-number';
import { oneLine } from './printable';
import { runUntilSignal } from './run-until-signal';
import { environmentWith, withSettings, type SettingsFlags } from './settings-options';

export function demoCommand(): Command {
  const command = new Command('demo')
    .description('everything on this machine: Co-Pilot emulated, the daemon, and a sample target')
    .option('--rate <events>', 'events per second', parseNonNegativeNumber, 1);
  return withSettings(command, ['host', 'port', 'dataDir', 'logLevel']).action(demo);
}

async function demo({ rate, ...flags }: SettingsFlags & { rate: number }): Promise<void> {
  const given = environmentWith(flags);
  const dataDir = join(resolve(given['DATA_DIR']?.trim() || 'data'), 'demo');
  const places = await loadDemoConfig(dataDir);
  // So told, the daemon lets its dashboard steer what stands in Co-Pilot's place.
  const settings = readSettings(demoEnvironment(given, dataDir, places), { isSandbox: true });
  const [{ createLog }, { LogOutput }, { startRelay }, { startSandbox }] = await Promise.all([
    import('../relay/ground/log.js'),
    import('../relay/ground/log-output.js'),
    import('../relay/start-relay.js'),
    import('../sandbox/start-sandbox.js'),
  ]);
  const output = LogOutput.toStandardOutput();
  const say = (who: string, line: string) => output.write(`${who.padEnd(9)} ${oneLine(line)}\n`);
  const log = createLog(settings.logLevel, process.stdout.isTTY, output);
  const opened: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of opened.splice(0).toReversed()) await close();
  };

  try {
    opened.push(
      await startOnPort(places.targetPort, (port) => startSampleTarget(port, (line) => say('target', line))),
    );
    const sandbox = await startOnPort(places.sandboxPort, (port) =>
      startSandbox({
        port,
        consent: 'grant',
        log: (record) => {
          if (record.kind === 'request') say('co-pilot', `${record.method} ${record.path} ${record.status}`);
        },
      }),
    );
    opened.push(() => sandbox.close());
    const relay = await startRelay(settings, { log });
    opened.push(relay.stop);
    runUntilSignal(log, stop);

    const { clientId, clientSecret } = places;
    sandbox.createApplication({
      name: 'Demo',
      redirectUris: [`${relay.url}/oauth/callback`],
      clientId,
      clientSecret,
    });
    await consentInDemo(relay.url, loadAdminToken(settings, systemRandom));
    sandbox.setRate(rate);
    say('hub', `connected; events arrive about ${rate} a second. Ctrl-C stops everything.`);
    output.write(
      `\nOpen the dashboard (the link is good once, for 15 minutes):\n\n  ${await relay.makeLoginLink()}\n\n`,
    );
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Whatever the environment says of a real Co-Pilot or a public address is not for the demo. */
function demoEnvironment(given: Environment, dataDir: string, places: DemoConfig): Environment {
  const { HOST } = given;
  return {
    HOST,
    PORT: given['PORT'],
    LOG_LEVEL: given['LOG_LEVEL'] ?? 'warn',
    DATA_DIR: dataDir,
    COPILOT_BASE_URL: `http://127.0.0.1:${places.sandboxPort}`,
    COPILOT_CLIENT_ID: places.clientId,
    COPILOT_CLIENT_SECRET: places.clientSecret,
    // Its sample target is on this machine, wherever the daemon listens.
    SWITCHBOARD_TARGET_ALLOW: isLoopbackName(HOST?.trim() || 'localhost')
      ? undefined
      : 'public,127.0.0.0/8,::1/128',
    SWITCHBOARD_TARGETS: `sample=http://127.0.0.1:${places.targetPort}/`,
  };
}

async function startOnPort<T>(port: number, start: (port: number) => Promise<T>): Promise<T> {
  try {
    return await start(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new StartupError([
      {
        where: `port ${port}`,
        what: 'Another program listens where a part of the demo has its place.',
        remedy: 'Is another demo running? Otherwise remove DATA_DIR/demo: the demo begins anew elsewhere.',
      },
    ]);
  }
}
