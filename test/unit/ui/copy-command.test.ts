import { spawnSync } from 'node:child_process';
import type { Command } from 'commander';
import { createProgram } from '../../../src/cli/definitions/program';
import { filterQuery } from '../../../src/cli/remote/event-filters';
import { exportQuery } from '../../../src/contract/event';
import { retryDead } from '../../../src/contract/delivery';
import { replayCreate } from '../../../src/contract/replay';
import { toEventQuery, type EventSearch } from '../../../ui/src/api/events';
import type { Query } from '../../../ui/src/api/request';
import {
  changeOfDeadLetters,
  listOfEvents,
  startOfReplay,
} from '../../../ui/src/features/copy-command/requests';

const ORIGIN = 'https://hub.example.com';
const NOW = Date.parse('2026-03-02T09:00:00Z');
const TARGET = `tgt_${'1'.repeat(26)}`;

beforeAll(() => {
  Object.assign(globalThis, { window: { location: { origin: ORIGIN } } });
});

afterAll(() => {
  Reflect.deleteProperty(globalThis, 'window');
});

/** The arguments that a shell passes to the program of a line. */
function argumentsOf(line: string): string[] {
  const script = `switchboard() { printf '%s\\0' "$@"; }\ncurl() { switchboard "$@"; }\n${line}`;
  const { stdout, status } = spawnSync('bash', ['-c', script], { env: { SWITCHBOARD_TOKEN: 'a token' } });
  expect(status).toBe(0);
  return stdout.toString().split('\0').slice(0, -1);
}

/** The command and what its own definition reads from the line. */
function parse(line: string) {
  const found: { flags: Record<string, unknown>; args: string[] }[] = [];
  const program = createProgram();
  const listen = (command: Command): void => {
    command.action((...given: unknown[]) => {
      const used = given.at(-1) as Command;
      found.push({ flags: used.opts(), args: used.args });
    });
    command.commands.forEach(listen);
  };
  program.commands.forEach(listen);
  program.parse(argumentsOf(line), { from: 'user' });
  expect(found).toHaveLength(1);
  expect(found[0]!.flags['hub']).toBe(ORIGIN);
  return found[0]!;
}

/** The JSON that a `curl` line posts. */
const bodyOf = (call: string): unknown => JSON.parse(argumentsOf(call).at(-1)!);

const SEARCHES: EventSearch[] = [
  {},
  { type: ['deal.*', 'contact.created'], entity: 'deal:42', status: 'dead', target: TARGET },
  { q: `it's $(id) "quoted" \u001b[201~; \\ ü`, system: 'shown' },
  { q: '--all', payload: '{"data.price":{"$gte":10000},"data.name":"O\'Hara"}', range: 'today' },
  { since: '2026-03-01T00:00:00.000Z', until: '2026-03-02T00:00:00.000Z' },
];

describe('a list of events as a line for a shell', () => {
  it.each(SEARCHES)('means the same filters as the screen: %j', (search) => {
    const { command, call } = listOfEvents(search, NOW);
    const { flags } = parse(command);
    const { status, target } = flags;
    const wanted = toEventQuery(search, NOW);
    expect({ ...filterQuery(flags), status, target }).toEqual({ ...wanted, seq: undefined });
    const parameters = new URLSearchParams();
    for (const [i, one] of argumentsOf(call).entries())
      if (argumentsOf(call)[i - 1] === '--data-urlencode')
        parameters.append(one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1));
    const sent = Object.fromEntries(
      [...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)]),
    );
    expect(exportQuery.safeParse(unwrap(sent)).success).toBe(true);
    expect(sent).toEqual(unwrapped(wanted));
  });

  it('keeps a range that is relative to its use, and takes the token from the environment', () => {
    const { command, call } = listOfEvents({ range: '24h' }, NOW);
    expect(command).toBe(`switchboard events list --hub=${ORIGIN} --origin=not_switchboard --since=24h`);
    expect(argumentsOf(call)).toEqual(
      expect.arrayContaining(['authorization: Bearer a token', 'since=2026-03-01T09:00:00.000Z']),
    );
    expect(call).toContain('"authorization: Bearer $SWITCHBOARD_TOKEN"');
  });
});

/** One value alone, as a parameter that is given once. */
const unwrap = (lists: Record<string, string[]>) =>
  Object.fromEntries(
    Object.entries(lists).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );

const unwrapped = (query: Query) =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'object' ? value : [String(value)]]],
    ),
  );

describe('an action as a line for a shell', () => {
  it('retries and discards the same dead letters', () => {
    const filter = { target: TARGET, error: '503', type: 'deal.*', since: '2026-03-01T00:00:00.000Z' };
    const retry = changeOfDeadLetters('retry', { ...filter, failed_until: '2026-03-02T00:00:00.000Z' });
    expect(parse(retry.command).flags).toEqual({ hub: ORIGIN, color: true, ...filter });
    expect(retryDead.safeParse(bodyOf(retry.call)).success).toBe(true);
    expect(bodyOf(retry.call)).toEqual({ ...filter, failed_until: '2026-03-02T00:00:00.000Z' });

    const all = changeOfDeadLetters('discard', {}, "won't fix");
    expect(parse(all.command).flags).toEqual({ hub: ORIGIN, color: true, all: true, reason: "won't fix" });
    expect(bodyOf(all.call)).toEqual({ all: true, reason: "won't fix" });

    const ids = [`dlv_${'a'.repeat(26)}`, `dlv_${'b'.repeat(26)}`];
    expect(parse(changeOfDeadLetters('retry', { ids }).command).args).toEqual(ids);
  });

  it('starts the same replay', () => {
    const { command, call } = startOfReplay({
      filter: {
        types: ['deal.*'],
        outcomes: ['dead', 'open'],
        payload: { 'data.id': 42 },
        target: TARGET,
        since: '2026-03-01T00:00:00.000Z',
        until_seq: 900,
      },
      all: false,
      target_ids: [TARGET],
      rate: { pace: 10 },
    });
    expect(parse(command).flags).toMatchObject({
      type: ['deal.*'],
      outcome: ['dead', 'open'],
      payload: '{"data.id":42}',
      deliveredTo: TARGET,
      since: '2026-03-01T00:00:00.000Z',
      untilSeq: 900,
      to: [TARGET],
      pace: 10,
    });
    expect(replayCreate.safeParse(bodyOf(call)).success).toBe(true);

    const everything = startOfReplay({ filter: {}, all: true, rate: { per_second: 20 } });
    expect(parse(everything.command).flags).toMatchObject({ all: true, rate: 20 });
    expect(bodyOf(everything.call)).toEqual({ filter: {}, all: true, rate: { per_second: 20 } });
  });
});
