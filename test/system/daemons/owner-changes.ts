import type { Stats } from '../../../src/contract/stats';
import type { Daemon } from '../../support/daemon/daemon';
import { assertBalanced } from '../../support/daemon/ledger';
import { WitnessTarget } from '../../support/fakes/witness-target';
import { dealNotification } from '../../support/notification';
import { runSql } from '../../support/postgres';
import { until } from '../../support/until';
import { DAEMONS, group } from './three-daemons';

const TARGETS = 6;

/** Longer than a lease. */
const TAKEN_WITHIN_MS = 30_000;

export function ownerChanges(): void {
  let leader: Daemon;
  const witnesses: WitnessTarget[] = [];
  const ids: string[] = [];
  let nextId = 0;

  const notify = async (daemon = leader): Promise<string> => {
    nextId += 1;
    const { body } = dealNotification({
      id: nextId % 3,
      name: `Deal ${nextId}`,
      webhookId: group.webhook.webhook_id,
    });
    const { id } = await group.sendTo(daemon, body);
    return id!;
  };
  const countOf = (index: number, event: string) =>
    witnesses[index]!.received.filter(({ id }) => id === event).length;
  const receivedByAll = (event: string) => witnesses.every((_, index) => countOf(index, event) > 0);
  const isEmpty = async () => {
    const { status, body } = await leader.request('GET', '/stats');
    return status === 200 && (body as Stats).deliveries.open === 0;
  };
  /** The indexes of the targets that a daemon delivers to, as another one says. */
  const targetsOf = async (owner: Daemon, asked = leader): Promise<number[]> => {
    const entry = (await group.list(asked)).find(({ address }) => address === owner.url);
    return (entry?.target_ids ?? []).map((id) => ids.indexOf(id));
  };
  const divided = () =>
    until(
      'every daemon delivers to its share',
      async () => {
        const entries = (await group.list(leader)).filter(({ targets }) => targets > 0);
        return entries.length === DAEMONS && entries.every(({ targets }) => targets === TARGETS / DAEMONS);
      },
      TAKEN_WITHIN_MS,
    );

  beforeAll(async () => {
    [leader] = group.daemons as [Daemon];
    for (let n = 0; n < TARGETS; n += 1) {
      const witness = await WitnessTarget.start();
      witnesses.push(witness);
      const { id } = await leader.addTarget(`target ${n}`, witness.url, { policy: { ordering: 'entity' } });
      ids.push(id);
    }
    await divided();
  });
  afterAll(async () => {
    for (const id of ids) await leader.request('DELETE', `/targets/${id}`);
    for (const witness of witnesses) await witness.close();
  });

  it('are handed over when it stops, without waiting for its lease, and receive nothing twice', async () => {
    const [, stopped] = group.daemons as [Daemon, Daemon];
    const own = await targetsOf(stopped);
    const { url } = stopped;
    const [index] = own as [number];
    witnesses[index]!.holdResponses();
    const held = await notify();
    await until('its request is in flight', () => witnesses[index]!.heldCount === 1);
    const stopping = stopped.stop();
    await until('its other target is handed over while it waits for that request', async () => {
      const owners = await runSql<{ daemon: string | null }>(
        group.url,
        `SELECT o.daemon FROM target_owners o JOIN targets t ON t.number = o.target
         JOIN daemons d ON d.id = o.daemon AND d.address <> $1 WHERE t.id = $2`,
        [url, ids[own[1]!]],
      );
      return owners.length === 1;
    });
    witnesses[index]!.releaseResponses();
    expect(await stopping).toBe(0);
    expect(await runSql(group.url, 'SELECT 1 FROM daemons WHERE address = $1', [url])).toEqual([]);
    const id = await notify();
    await until('all receive', () => receivedByAll(id));
    await until('everything is settled', isEmpty);
    expect([held, id].flatMap((event) => ids.map((_, n) => countOf(n, event)))).toEqual(
      Array.from({ length: 2 * TARGETS }, () => 1),
    );
    await stopped.restart();
    await divided();
  });

  it('are served again once the lease of an owner that was killed has run out', async () => {
    const [, , killed] = group.daemons as [Daemon, Daemon, Daemon];
    expect(await targetsOf(killed)).toHaveLength(TARGETS / DAEMONS);
    await killed.kill();
    const id = await notify();
    await until('all receive', () => receivedByAll(id), TAKEN_WITHIN_MS);
    await until('everything is settled', isEmpty);
    await killed.restart();
    await divided();
  });

  it('are settled and served by their next owner only, once the frozen one is resumed', async () => {
    const [, frozen] = group.daemons as [Daemon, Daemon];
    const [index] = (await targetsOf(frozen)) as [number];
    witnesses[index]!.holdResponses();
    const inFlight = await notify();
    await until('its request is in flight', () => witnesses[index]!.heldCount === 1);
    process.kill(frozen.pid, 'SIGSTOP');
    let settled: unknown[] = [];
    const attempts = () =>
      runSql(
        group.url,
        `SELECT a.number, a.at, a.duration_ms, a.status FROM attempts a JOIN targets t ON t.number = a.target_id
         WHERE t.id = $1 ORDER BY a.event_seq, a.number`,
        [ids[index]],
      );
    try {
      await until('another one repeats the request', () => countOf(index, inFlight) === 2, TAKEN_WITHIN_MS);
      // The frozen one is answered too.
      witnesses[index]!.releaseResponses();
      const id = await notify();
      await until('all receive', () => receivedByAll(id));
      await until('everything is settled', isEmpty);
      settled = await attempts();
    } finally {
      process.kill(frozen.pid, 'SIGCONT');
    }
    await until('it knows that they were taken', () =>
      frozen.output.includes('this daemon no longer owns targets'),
    );
    await divided();
    const last = await notify(frozen);
    await until('all receive', () => receivedByAll(last));
    await until('everything is settled', isEmpty);
    expect(countOf(index, inFlight)).toBe(2);
    expect((await attempts()).slice(0, settled.length)).toEqual(settled);
    await assertBalanced(leader);
  });

  it('are settled by a former leader whose requests were in flight, which serves them again once they have ended', async () => {
    const [former, next] = group.daemons as [Daemon, Daemon];
    const [index, other] = (await targetsOf(former)) as [number, number];
    witnesses[index]!.holdResponses();
    const held = await notify();
    await until('its request is in flight', () => witnesses[index]!.heldCount === 1);
    await runSql(
      group.url,
      `UPDATE leader SET epoch = epoch + 1, daemon = (SELECT id FROM daemons WHERE address = $1)`,
      [next.url],
    );
    await until('its other target is released', async () => {
      const released = await runSql(
        group.url,
        `SELECT 1 FROM target_owners o JOIN targets t ON t.number = o.target WHERE t.id = $1 AND o.daemon IS NULL`,
        [ids[other]],
      );
      return released.length === 1;
    });
    witnesses[index]!.releaseResponses();
    leader = await group.leader(former);
    expect(leader.url).toBe(next.url);
    const id = await notify(former);
    await until('all receive', () => receivedByAll(id), TAKEN_WITHIN_MS);
    await until('everything is settled', isEmpty);
    expect([held, id].map((event) => countOf(index, event))).toEqual([1, 1]);
    expect(former.output).not.toContain('attempts in flight did not end in time');
    await divided();
  });

  it('continue to be served by the other daemons while no daemon leads', async () => {
    const [other, former] = group.daemons as [Daemon, Daemon];
    const own = await targetsOf(former);
    await former.kill();
    const id = await notify(other);
    const others = ids.map((_, index) => index).filter((index) => !own.includes(index));
    await until('the targets of the others receive', () => others.every((index) => countOf(index, id) === 1));
    const leads = await runSql(
      group.url,
      'SELECT 1 FROM leader l JOIN daemons d ON d.id = l.daemon AND d.address <> $1',
      [former.url],
    );
    expect(leads).toEqual([]);
    leader = await group.leader(former);
    await until('all receive', () => receivedByAll(id), TAKEN_WITHIN_MS);
    await until('everything is settled', isEmpty);
    await assertBalanced(leader);
    await former.restart();
  });
}
