import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

/**
 * Ports and credentials of the demo. They persist, because the daemon stores the URLs of its Co-Pilot and
 * targets.
 */
export interface DemoConfig {
  sandboxPort: number;
  targetPort: number;
  clientId: string;
  clientSecret: string;
}

export async function loadDemoConfig(dataDir: string): Promise<DemoConfig> {
  const file = join(dataDir, 'demo.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as DemoConfig;
  const [sandboxPort, targetPort] = await freePorts(2);
  const config = {
    sandboxPort: sandboxPort!,
    targetPort: targetPort!,
    clientId: `demo_${randomBytes(6).toString('hex')}`,
    clientSecret: randomBytes(24).toString('base64url'),
  };
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
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
