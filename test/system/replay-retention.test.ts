import type { INestApplicationContext } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { pino } from 'pino';
import type { ReplayFilter } from '../../src/contract/replay';
import {
  ENTITIES,
  GroundModule,
  NestFactory,
  openReadingSource,
  Reader,
  readSettings,
  PublicAddress,
  ReplayRunner,
  ReplaysModule,
  ReplaysService,
  Retention,
  Sealer,
  systemRandom,
  TargetsService,
  TimeBounds,
} from '../harness/built';
import { draft, ScratchJournal, START } from '../store/scratch-journal';

const DAY_MS = 86_400_000;
const STORED = 900;
/** What a replay may have open; so many are made at once, and the rest waits for them. */
const OPEN = 500;

class Root {}

let scratch: ScratchJournal;
let reader: InstanceType<typeof Reader>;
let source: DataSource;
let app: INestApplicationContext;
let targetId = '';

beforeEach(async () => {
  scratch = await ScratchJournal.open();
  for (let n = 1; n <= STORED; n += 1)
    void scratch.journal.append(
      draft(n, { type: n % 3 === 0 ? 'deal.updated' : 'contact.updated' }),
      () => [],
    );
  await scratch.journal.change([]);
  const settings = readSettings({
    COPILOT_BASE_URL: 'https://copilot.example',
    COPILOT_CLIENT_ID: 'client',
    COPILOT_CLIENT_SECRET: 'secret',
    SWITCHBOARD_RETENTION_DAYS: '1',
  });
  reader = new Reader(scratch.file);
  source = await openReadingSource(scratch.file, ENTITIES);
  const ground = {
    settings,
    publicAddress: new PublicAddress(settings),
    clock: scratch.clock,
    bounds: new TimeBounds(scratch.clock),
    random: systemRandom,
    log: pino({ level: 'silent' }),
    sealer: new Sealer(Buffer.alloc(32, 1), systemRandom),
    journal: scratch.journal,
    source,
    reader,
  };
  // Without a scheduler: nothing happens but what a test does.
  app = await NestFactory.createApplicationContext(
    { module: Root, imports: [GroundModule.with(ground), ReplaysModule] },
    { logger: false },
  );
  const { record } = await app.get(TargetsService).create({
    name: 'place',
    url: 'http://127.0.0.1:9/',
    events: ['nothing'],
    filter: null,
    enabled: true,
    policy: {},
    headers: [],
    tls: null,
  });
  targetId = record.id;
});

afterEach(async () => {
  await app.close();
  await reader.close();
  await source.destroy();
  await scratch.remove();
});

async function start(filter: ReplayFilter): Promise<string> {
  const wanted = { filter, target_ids: [targetId], rate: 'as_fast_as_allowed' as const };
  return (await app.get(ReplaysService).start(wanted)).id;
}

/** All that is open of it succeeds, piece by piece, until it has ended. */
async function runToEnd(id: string) {
  for (let turns = 0; turns < 50; turns += 1) {
    await app.get(ReplayRunner).tick();
    const found = await app.get(ReplaysService).get(id);
    if (found.ended_at !== null) return found;
    await scratch.journal.change([
      [
        `UPDATE deliveries SET state = 'succeeded', due_at = NULL, settled_at = 1 WHERE settled_at IS NULL`,
        [],
      ],
    ]);
  }
  throw new Error(`It hangs: ${JSON.stringify(await app.get(ReplaysService).get(id))}`);
}

describe('events that retention removes before their turn', () => {
  it('are told when the replay ends, and hold nothing up', async () => {
    const id = await start({});
    await app.get(ReplayRunner).tick();
    expect(await app.get(ReplaysService).get(id)).toMatchObject({ total: STORED, events: OPEN, gone: 0 });
    scratch.now = START + 2 * DAY_MS;
    await app.get(Retention).tick();
    // What is open is not too old; the newest event stays, whatever its age.
    const gone = STORED - OPEN - 1;
    expect(await runToEnd(id)).toMatchObject({ state: 'done', total: STORED, events: OPEN + 1, gone });
  });

  it('are those that its filter names, of another replay other ones', async () => {
    await scratch.journal.append(draft(STORED + 1, { type: 'task.updated' }), () => []);
    const deals = await start({ types: ['deal.*'] });
    const contacts = await start({ types: ['contact.*'], until_seq: 100 });
    scratch.now = START + 2 * DAY_MS;
    await app.get(Retention).tick();
    expect(await runToEnd(deals)).toMatchObject({ state: 'done', total: 300, events: 0, gone: 300 });
    expect(await runToEnd(contacts)).toMatchObject({ state: 'done', total: 67, events: 0, gone: 67 });
  });

  it('are passed by though they had been read ahead', async () => {
    const id = await start({});
    const runner = app.get(ReplayRunner);
    // Retention is on its way while the deliveries of what was read are made.
    scratch.now = START + 2 * DAY_MS;
    await Promise.all([runner.tick(), app.get(Retention).tick()]);
    const { state, events, gone } = await runToEnd(id);
    expect({ state, all: events + gone }).toEqual({ state: 'done', all: STORED });
    expect(gone).toBeGreaterThan(0);
  });
});
