import type { DataSource } from 'typeorm';
import { pino } from 'pino';
import { ENTITIES } from '../../../src/relay/relay.module';
import { Sealer } from '../../../src/relay/secrets/sealer';
import { systemRandom } from '../../../src/relay/ground/random';
import { TargetFollower } from '../../../src/relay/targets/target-follower';
import { TargetsService } from '../../../src/relay/targets/targets.service';
import { draft, result, ScratchJournal, to } from '../../support/daemon/scratch-journal';
import { ONLY_DAEMON } from '../../support/only-daemon';

describe('removed targets', () => {
  let scratch: ScratchJournal;
  let source: DataSource;

  beforeEach(async () => {
    scratch = await ScratchJournal.open();
    for (const number of [1, 2])
      scratch.exec(`INSERT INTO targets(number, id, name, url, events, enabled, secret, created_at, updated_at, deleted_at)
        VALUES (${number}, 'tgt_${number}', 'target ${number}', 'http://127.0.0.1/', '["*"]', 1, '', 0, 0, 1)`);
    source = await scratch.openSource(ENTITIES);
  });

  afterEach(async () => {
    await source.destroy();
    await scratch.remove();
  });

  const start = () => {
    const sealer = new Sealer(Buffer.alloc(32, 1), systemRandom);
    const { journal, clock } = scratch;
    const settings = { targets: [] } as never;
    const log = pino({ level: 'silent' });
    return new TargetsService(
      settings,
      source,
      journal,
      sealer,
      {} as never,
      clock,
      systemRandom,
      ONLY_DAEMON.leadership,
      new TargetFollower(sealer, ONLY_DAEMON.leaderLink),
      {} as never,
      log,
    ).onModuleInit();
  };

  it('add no write to a start, unless they have queued deliveries, which are cancelled', async () => {
    await scratch.journal.append(draft(1), to(1, 2));
    await scratch.journal.append(draft(2), () => [{ target: 2, lane: 'all' }]);
    await scratch.journal.saveResult(result(1, 1));
    scratch.groups.splice(0);
    await start();
    expect(scratch.rows('SELECT target_id, state FROM deliveries ORDER BY event_seq, target_id')).toEqual([
      { target_id: 1, state: 'succeeded' },
      { target_id: 2, state: 'cancelled' },
      { target_id: 2, state: 'cancelled' },
    ]);
    expect(scratch.groups.length).toBeGreaterThan(0);
    scratch.groups.splice(0);
    await start();
    expect(scratch.groups).toEqual([]);
  });
});
