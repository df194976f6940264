import { Writable } from 'node:stream';
import type { DynamicModule } from '@nestjs/common';
import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import { readClockRecord } from '../../../src/relay/database/sqlite/open-sqlite-store';
import type { Journal } from '../../../src/relay/database/journal/journal';
import { openReadingSource } from '../../../src/relay/database/sqlite/open-database';
import { SqliteReader } from '../../../src/relay/database/sqlite/sqlite-reader';
import type { Clock } from '../../../src/relay/ground/clock';
import { ConnectionLimit } from '../../../src/relay/http/connection-limit';
import type { Log } from '../../../src/relay/ground/log';
import { systemRandom } from '../../../src/relay/ground/random';
import { Tracer } from '../../../src/relay/ground/tracer';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { GroundModule } from '../../../src/relay/ground.module';
import { HostAddresses } from '../../../src/relay/network/host-addresses';
import { onlyDaemon } from '../../../src/relay/only-daemon';
import { ENTITIES } from '../../../src/relay/relay.module';
import { Sealer } from '../../../src/relay/secrets/sealer';
import { PublicAddress } from '../../../src/relay/settings/public-address';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { InlineJournal } from './inline-journal';
import { createMigratedFile } from './migrated-file';

/** Settings of a Co-Pilot where nothing listens. */
export const NO_COPILOT = {
  COPILOT_BASE_URL: 'http://127.0.0.1:9',
  COPILOT_CLIENT_ID: 'client',
  COPILOT_CLIENT_SECRET: 'client-secret',
};

/** The shared providers on a real journal, for tests that start a few modules instead of the daemon. */
export interface TestGround {
  module: DynamicModule;
  journal: Journal;
  source: DataSource;
  publicAddress: PublicAddress;
  log: Log;
  close: () => Promise<void>;
}

/** What differs between the grounds of tests; everything else is as in a daemon that is alone. */
type Parts = Pick<
  Parameters<typeof GroundModule.with>[0],
  'settings' | 'clock' | 'bounds' | 'log' | 'journal' | 'source' | 'reader'
>;

/** The shared providers for a few modules of the daemon on this journal. */
export function groundModule(parts: Parts, publicAddress = new PublicAddress(parts.settings)): DynamicModule {
  const { settings, clock, log } = parts;
  return GroundModule.with({
    ...parts,
    publicAddress,
    random: systemRandom,
    hosts: new HostAddresses(clock),
    sealer: new Sealer(Buffer.alloc(32, 7), systemRandom),
    connections: ConnectionLimit.with(settings, clock, log),
    ...onlyDaemon(clock, systemRandom, () => publicAddress.url),
    tracer: new Tracer(),
  });
}

/**
 * @param environment without Co-Pilot, settings of one where nothing listens
 * @param lines collects every line that is logged, without the redaction of the daemon's own log
 */
export async function openTestGround(
  environment: Record<string, string | undefined>,
  clock: Clock,
  lines: string[],
): Promise<TestGround> {
  const settings = readSettings({ ...NO_COPILOT, ...environment });
  const log = pino(
    { level: 'trace', base: null },
    new Writable({ write: (line, _, done) => done(void lines.push(String(line))) }),
  );
  await createMigratedFile(settings.databaseFile);
  const bounds = new TimeBounds(clock, readClockRecord(settings.databaseFile));
  const journal = InlineJournal.open(settings.databaseFile, clock, bounds, log);
  const reader = new SqliteReader(settings.databaseFile);
  const source = await openReadingSource(settings.databaseFile, ENTITIES);
  const publicAddress = new PublicAddress(settings);
  const module = groundModule({ settings, clock, bounds, log, journal, source, reader }, publicAddress);
  const close = async () => {
    await source.destroy();
    await reader.close();
    await journal.close();
  };
  return { module, journal, source, publicAddress, log, close };
}
