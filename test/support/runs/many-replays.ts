import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from '../../../src/contract/page';
import type { Replay, ReplayDetail, ReplaySummary } from '../../../src/contract/replay';
import { Daemon } from '../daemon/daemon';
import { RecordingTarget } from '../fakes/recording-target';
import { until } from '../until';
import { FakeCopilot } from '../fakes/copilot';

export interface ManyReplays {
  running: number;
  /** Paused at first. */
  resumed: number;
  ended: number;
}

/** Unit of CPU times in /proc (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100;

const idOf = (prefix: string, n: string) => `'${prefix}' || printf('%026d', ${n})`;

/** Each event has its own replay to a target that is now paused; many other replays ended long ago. */
const history = (target: string, { running, resumed, ended }: ManyReplays) => `
  CREATE TEMP TABLE i(n INTEGER PRIMARY KEY);
  INSERT INTO i WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < ${ended}) SELECT n FROM up;
  INSERT INTO events(seq, received_at, type, entity, content_type, headers, signature_header, signature_value, body)
  SELECT n, 1700000000000 + n * 1000, 'deal.updated', NULL, 'application/json', '[]', 'x-signature', 's',
    CAST('{"n":' || n || '}' AS BLOB) FROM i WHERE n <= ${running + resumed};
  INSERT INTO replays(id, state, filter, event_seq, target_ids, rate, until_seq, position, total, events, deliveries, created_at,
    ended_at, report)
  SELECT ${idOf('rpl_9', 'n')}, 'done', '{}', NULL, NULL, '"as_fast_as_allowed"', 0, 0, 0, 0, 0, 1700000000000, 1700000000000, '[]'
  FROM i;
  INSERT INTO replays(id, state, filter, event_seq, target_ids, rate, until_seq, position, total, events, deliveries, created_at)
  SELECT ${idOf('rpl_', 'n')}, CASE WHEN n <= ${running} THEN 'running' ELSE 'paused' END, '{}', n, json_array('${target}'), '"as_fast_as_allowed"', n, n, 1, 1, 1, 1700000000000
  FROM i WHERE n <= ${running + resumed};
  INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", replay_id, created_at, due_at, class)
  SELECT n, (SELECT number FROM targets WHERE id = '${target}'), 1, 'pending', 'replay', ${idOf('rpl_', 'n')}, ${Date.now()},
    ${Date.now()}, 2 FROM i WHERE n <= ${running + resumed};`;

/** What must hold with many unfinished replays of single events, and many that have ended. */
export function describeManyReplays(replays: ManyReplays): void {
  let upstream: FakeCopilot;
  let receiver: RecordingTarget;
  let daemon: Daemon;
  let pausedId = '';
  let activeId = '';

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    receiver = await RecordingTarget.start();
    daemon = await Daemon.start({ upstream, environment: { SWITCHBOARD_RETENTION_DAYS: '0' } });
    ({ id: pausedId } = await daemon.addTarget('away', receiver.url, { events: ['nothing'] }));
    ({ id: activeId } = await daemon.addTarget('near', receiver.url, { events: ['nothing'] }));
    await daemon.request('POST', `/targets/${pausedId}/pause`);
    await daemon.stop();
    daemon.alterDatabase(history(pausedId, replays));
    await daemon.restart();
  });
  afterAll(async () => {
    await daemon.close();
    await receiver.close();
    await upstream.close();
  });

  const get = (id: string) => daemon.get<ReplayDetail>(`/replays/${id}`);
  const unfinished = () =>
    daemon.rows<{ count: number }>(`SELECT count(*) AS count FROM replays WHERE ended_at IS NULL`)[0]!.count;

  /** CPU time that the daemon has used, in seconds. */
  function cpuSeconds(): number {
    const fields = readFileSync(`/proc/${daemon.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  }

  it('many single-event replays cost nothing while they wait for a target', async () => {
    const shares: number[] = [];
    await until('the daemon is idle', async () => {
      const before = cpuSeconds();
      const startedAt = performance.now();
      await pause(1_000);
      shares.push((cpuSeconds() - before) / ((performance.now() - startedAt) / 1_000));
      // Stored events are indexed first.
      return shares.length >= 3 && shares.slice(-3).every((share) => share < 0.15);
    });
    expect(unfinished()).toBe(replays.running + replays.resumed);
  });

  it('they do not delay the end of other replays', async () => {
    await daemon.stop();
    daemon.alterDatabase(`UPDATE replays SET state = 'running' WHERE state = 'paused'`);
    await daemon.restart();
    const [event] = (await daemon.get<Page<{ id: string }>>('/events?limit=1')).data;
    const { body: single } = await daemon.request('POST', `/events/${event!.id}/replay`, {
      target_ids: [activeId],
    });
    const { body: many } = await daemon.request('POST', '/replays', {
      filter: { until_seq: 1_000 },
      target_ids: [activeId],
    });
    for (const { id } of [single as Replay, many as ReplayDetail])
      await until('it is done', async () => (await get(id)).state === 'done');
    expect(receiver.hits).toHaveLength(1_001);
  });

  it('they end once all their deliveries are finished', async () => {
    await daemon.request('DELETE', `/targets/${pausedId}`);
    await until('all have ended', () => unfinished() === 0);
    const { data } = await daemon.get<Page<ReplaySummary>>('/replays?limit=3');
    expect(data.at(-1)).toMatchObject({ state: 'done', target_ids: [pausedId] });
  });
}
