import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { makeFolder } from '../relay/ground/make-folder';
import { StartupError } from '../relay/ground/relay-error';

/**
 * Ports and credentials of the demo. They persist, because the daemon stores the URLs of its Co-Pilot and targets.
 */
export interface DemoConfig {
  sandboxPort: number;
  targetPort: number;
  clientId: string;
  clientSecret: string;
  /** Of the sample target; absent if an earlier version created it. */
  targetSecret?: string;
}

/** @throws StartupError if they cannot be stored */
export async function loadDemoConfig(dataDir: string): Promise<DemoConfig> {
  const file = join(dataDir, 'demo.json');
  try {
    return await loadFrom(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartupError({
      where: 'DATA_DIR',
      what: `${file} cannot be read or written (${code ?? message}).`,
      remedy:
        'Set DATA_DIR, or --data-dir, to a folder that this user can write to; delete the file if it is damaged.',
    });
  }
}

async function loadFrom(file: string): Promise<DemoConfig> {
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as DemoConfig;
  const [sandboxPort, targetPort] = await freePorts(2);
  const config = {
    sandboxPort: sandboxPort!,
    targetPort: targetPort!,
    clientId: `demo_${randomBytes(6).toString('hex')}`,
    clientSecret: randomBytes(24).toString('base64url'),
    targetSecret: `whsec_${randomBytes(32).toString('base64')}`,
  };
  makeFolder(dirname(file));
  writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  return config;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
