import type { Issue } from '../../../src/contract/health';
import type { Connection } from '../../../src/contract/connection';
import type { Stats, TargetsTraffic } from '../../../src/contract/stats';
import type { Target } from '../../../src/contract/target';
import { stateDurationOf, titleOf } from '../../../ui/src/screens/overview/issue-view';
import { countAttention, groupIssues } from '../../../ui/src/screens/overview/group-issues';
import { topologyView } from '../../../ui/src/screens/overview/topology-view';
import { ago, HOUR_MS, NOW, stats } from './samples';

const issue = (severity: Issue['severity'], id = 'a', target: string | null = null) =>
  ({ id, severity, target_id: target }) as Issue;

const target = (id: string, states: string[], more: object = {}) =>
  ({
    id,
    name: id,
    disabled: null,
    breaker: null,
    paused: null,
    backlog: { open: 0, dead: 0 },
    health: { states, attempts: 1, failed: 1, last_failure: null },
    ...more,
  }) as unknown as Target;

const count = (issues: Issue[]) => countAttention(groupIssues(issues));

describe('what needs attention', () => {
  it('is listed by the connection, what one click ends, what is red, then by the state of the target', () => {
    const states = { blocked: 'blocked', down: 'down', slow: 'behind' };
    const targets = Object.entries(states).map(([id, state]) => target(id, [state]));
    const issues = [
      issue('critical', 'a', 'blocked'),
      issue('critical', 'b'),
      issue('warning', 'c', 'slow'),
      issue('warning', 'd', 'down'),
      { ...issue('info', 'e', 'back'), code: 'target.recovered' },
      { ...issue('warning', 'f'), code: 'connection.down' },
      { ...issue('warning', 'g'), code: 'subscription.unchecked' },
    ];
    expect(groupIssues(issues, targets).map(({ id, tone }) => [id, tone])).toEqual([
      ['f', 'warn'],
      ['g', 'warn'],
      ['back', 'idle'],
      ['b', 'bad'],
      ['down', 'bad'],
      ['blocked', 'bad'],
      ['slow', 'warn'],
    ]);
  });

  it('is listed in the order of the targets if all else is equal, whichever was raised first', () => {
    const targets = ['one', 'two'].map((id) => target(id, ['down']));
    const issues = [issue('critical', 'a', 'two'), issue('critical', 'b', 'one')];
    expect(groupIssues(issues, targets).map(({ id }) => id)).toEqual(['one', 'two']);
  });

  it('is counted once for each target, and without remarks', () => {
    expect(count([issue('info')])).toBe(0);
    expect(count([issue('warning', 'a'), issue('info', 'b')])).toBe(1);
    expect(count([issue('critical', 'a', 'tgt_1'), issue('warning', 'b', 'tgt_1')])).toBe(1);
    expect(count([issue('critical', 'a', 'tgt_1'), issue('warning', 'b', 'tgt_2')])).toBe(2);
  });

  it('has the title of its messages, or words of its own', () => {
    const titles = ['target.failing', 'delivery.dead', 'target.none'].map((code) =>
      titleOf({ id: code, code }),
    );
    expect(titles).toEqual(['Target failing', 'Dead letters', 'No targets']);
    const unchecked = ['active', 'registering'].map((state) =>
      titleOf({ id: `subscription:${state}`, code: 'subscription.unchecked' }),
    );
    expect(unchecked).toEqual(['Webhook unverified', 'Webhook not registered yet']);
  });
});

describe('the topology', () => {
  const connection = { state: 'connected' } as Connection;
  const view = (targets: Target[], traffic?: TargetsTraffic, parts?: Partial<Stats>) =>
    topologyView({ connection, stats: stats(parts), targets }, traffic, NOW);

  it('says why a target is bad, what waits for it, and the states of those that it leaves out', () => {
    const health = {
      states: ['down'],
      attempts: 1,
      failed: 1,
      last_failure: { at: ago(0), sentence: 'HTTP 500.' },
    };
    const paused = { reason: 'Slack is being migrated.' };
    const { targets, others } = view([
      target('idle', ['active']),
      target('off', ['disabled']),
      target('erp', ['down'], { health, backlog: { open: 1_239, dead: 0 } }),
      target('ledger', ['blocked'], { backlog: { open: 2, dead: 1 } }),
      target('slack', ['paused'], { paused }),
      ...['a', 'b'].map((id) => target(id, ['failing'])),
    ]);
    expect(targets.slice(0, 2).map(({ state, queued }) => [state, queued])).toEqual([
      ['Down · HTTP 500', '1,239 queued'],
      ['Blocked · 1 dead letter', '2 queued'],
    ]);
    expect(targets.at(-1)!.state).toBe('Paused · “Slack is being migrated”');
    expect(others).toBe('2 more targets: 1 active, 1 disabled');
  });

  it('sorts by what flows only targets that are well', () => {
    const traffic = {
      since: ago(60_000),
      step_seconds: 60,
      data: ['bad 2', 'well 2'].map((id) => ({ target_id: id, delivered: [60], failed: [0] })),
    } as unknown as TargetsTraffic;
    const targets = ['bad 1', 'bad 2'].map((id) => target(id, ['down']));
    const well = ['well 1', 'well 2'].map((id) => target(id, ['active']));
    expect(view([...targets, ...well], traffic).targets.map(({ name }) => name)).toEqual([
      'bad 1',
      'bad 2',
      'well 2',
      'well 1',
    ]);
  });

  it.each([
    [[60, 0, 60], HOUR_MS, 60 / 90],
    // A restart: what was counted before it remains.
    [[60, 0, 60], 6_000, 60 / 90],
    [[null, 0, 60], 60_000, 1],
    [[null, null, 60], 6_000, 10],
    [[null, null, 60], 500, 0],
  ])(
    'has rates of the last two minutes, of %j as far as the daemon ran: for %d ms',
    (delivered, age, rate) => {
      const failed = delivered.map(() => 0);
      const traffic = {
        since: ago(150_000),
        step_seconds: 60,
        data: [{ target_id: 'shop', delivered, failed }],
      } as unknown as TargetsTraffic;
      const { targets } = view([target('shop', ['active'])], traffic, { started_at: ago(age) });
      expect(targets[0]!.rate).toBe(rate);
    },
  );
});

describe('the duration beside the state of a target', () => {
  const failing = { code: 'target.failing', severity: 'critical', since: ago(16 * 60_000) } as const;
  const dead = { code: 'delivery.dead', severity: 'warning', since: ago(3 * HOUR_MS) } as const;

  it('is that of its circuit breaker if it is down, although it failed before', () => {
    const down = target('a', ['down', 'failing'], { breaker: { opened_at: ago(120_000) } });
    expect(stateDurationOf(down, [failing, dead], NOW)).toBe('for 2 min');
  });

  it('is that of the issue of its state, not of an older one', () => {
    const other = target('a', ['failing'], { breaker: null });
    expect(stateDurationOf(other, [dead, failing], NOW)).toBe('for 16 min');
    expect(stateDurationOf(other, [dead], NOW)).toBe('for 3 h');
  });
});
