import { basename, delimiter, dirname, join, relative, resolve } from 'node:path';
import { systemRandom } from '../relay/ground/random';
import { StartupError } from '../relay/ground/relay-error';
import { loadAdminToken } from '../relay/secrets/secret-files';
import { isLoopbackName } from '../relay/settings/loopback';
import { readSettings, type Environment } from '../relay/settings/read-settings';
import { loadDemoConfig, type DemoConfig } from './demo-config';
import { startSampleTarget } from './demo-target';
import { lowerV8Threads } from './lower-v8-threads';
import { oneLine } from './printable';
import { runUntilSignal } from './run-until-signal';
import type { SettingsFlags } from './definitions/settings-flags';
import { environmentWith } from './environment';

export async function demo({ rate, ...flags }: SettingsFlags & { rate: number }): Promise<void> {
  lowerV8Threads();
  const environment = environmentWith(flags);
  const dataDir = join(resolve(environment['DATA_DIR']?.trim() || 'data'), 'demo');
  const config = await loadDemoConfig(dataDir);
  // `isSandbox` enables the routes through which the dashboard controls the sandbox.
  const settings = readSettings(demoEnvironment(environment, dataDir, config), { isSandbox: true });
  const [{ createLog }, { LogOutput }, { startRelay }, { startSandbox }] = await Promise.all([
    import('../relay/ground/log.js'),
    import('../relay/ground/log-output.js'),
    import('../relay/start-relay.js'),
    import('../sandbox/start-sandbox.js'),
  ]);
  const output = LogOutput.toStandardOutput();
  const print = (source: string, line: string) => output.write(`${source.padEnd(9)} ${oneLine(line)}\n`);
  const log = createLog(settings.logLevel, process.stdout.isTTY, output);
  const cleanups: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of cleanups.splice(0).toReversed()) await close();
  };

  try {
    const sandbox = await startOnPort(config.sandboxPort, (port) =>
      startSandbox({
        port,
        consent: 'grant',
        data: join(dataDir, 'sandbox'),
        log: (record) => {
          if (record.kind === 'request')
            print('co-pilot', `${record.method} ${record.path} ${record.status}`);
        },
      }),
    );
    cleanups.push(() => sandbox.close());
    cleanups.push(
      await startOnPort(config.targetPort, (port) =>
        startSampleTarget(port, {
          secret: config.targetSecret,
          onReceived: (line) => print('target', line),
          respond: (response) => sandbox.receive(response),
        }),
      ),
    );
    const relay = await startRelay(settings, { log });
    cleanups.push(relay.stop);
    runUntilSignal(log, stop);

    const { clientId, clientSecret } = config;
    sandbox.createApplication({
      name: 'Demo',
      redirectUris: [`${relay.url}/oauth/callback`],
      clientId,
      clientSecret,
    });
    await consentInDemo(relay.url, loadAdminToken(settings, systemRandom));
    sandbox.setRate(rate);
    print('hub', `connected; event rate ${rate}/s. Press Ctrl-C to stop.`);
    output.write(
      `\nOpen the dashboard (the link works once, within 15 minutes):\n\n  ${await relay.makeLoginLink()}\n\n` +
        `Another link: ${commandLine(dataDir, 'login-link')}\n\nTry in another terminal:\n\n` +
        `  ${commandLine(dataDir, 'tail')}\n` +
        `  ${commandLine(dataDir, 'trigger', 'deal.created')}\n` +
        `  ${commandLine(dataDir, 'listen', '--forward-to', 'http://localhost:3000/')}\n\n`,
    );
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Ignores settings for the real Co-Pilot and the public URL. */
function demoEnvironment(environment: Environment, dataDir: string, config: DemoConfig): Environment {
  const { HOST } = environment;
  return {
    HOST,
    PORT: environment['PORT'],
    LOG_LEVEL: environment['LOG_LEVEL'] ?? 'warn',
    DATA_DIR: dataDir,
    SWITCHBOARD_NAME: environment['SWITCHBOARD_NAME'],
    COPILOT_BASE_URL: `http://127.0.0.1:${config.sandboxPort}`,
    COPILOT_CLIENT_ID: config.clientId,
    COPILOT_CLIENT_SECRET: config.clientSecret,
    // The sample target is always on this machine, even if the daemon listens on another address.
    SWITCHBOARD_TARGET_ALLOW: isLoopbackName(HOST?.trim() || 'localhost')
      ? undefined
      : 'public,127.0.0.0/8,::1/128',
    SWITCHBOARD_TARGETS: `sample=http://127.0.0.1:${config.targetPort}/`,
    SWITCHBOARD_TARGET_SECRETS: config.targetSecret && `sample=${config.targetSecret}`,
  };
}

/** A command for this demo as a shell takes it, from this folder. */
function commandLine(dataDir: string, ...words: readonly string[]): string {
  const isOnPath = process.env['PATH']?.split(delimiter).includes(dirname(process.execPath));
  const program = isOnPath ? basename(process.execPath) : process.execPath;
  return shellCommand([program, nearby(process.argv[1]!), ...words, '--data-dir', nearby(dataDir)]);
}

const nearby = (path: string) => (path.startsWith(`${process.cwd()}/`) ? relative('', path) : path);

const shellCommand = (words: readonly string[]) =>
  words.map((word) => (/^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');

async function startOnPort<T>(port: number, start: (port: number) => Promise<T>): Promise<T> {
  try {
    return await start(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new StartupError({
      where: `port ${port}`,
      what: 'Another process is using this port of the demo.',
      remedy:
        'Stop the other demo if one is running. Otherwise delete DATA_DIR/demo; a new demo picks other ports.',
    });
  }
}

/**
 * Follows the redirects as an operator's browser would: from the daemon to the consent page, and back with the code.
 * The sandbox of the demo consents automatically, so no page needs a click.
 */
async function consentInDemo(daemonUrl: string, adminToken: string): Promise<void> {
  const started = await follow(`${daemonUrl}/oauth/connect`, { authorization: `Bearer ${adminToken}` });
  const consented = await follow(started.location, {});
  // The daemon accepts the callback only from the browser that started the authorization.
  await follow(consented.location, { cookie: started.cookie });
}

async function follow(
  url: string,
  headers: Record<string, string>,
): Promise<{ location: string; cookie: string }> {
  const response = await fetch(url, { headers, redirect: 'manual' });
  const location = response.headers.get('location');
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  if (location !== null) return { location: new URL(location, url).href, cookie };
  const { origin, pathname } = new URL(url);
  throw new Error(`The demo could not connect: ${origin}${pathname} responded with ${response.status}.`);
}
