import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../../src/relay/ground/log';
import { Transformer } from '../../../src/relay/transforms/transformer';
import { until } from '../../support/until';

/** Longer than a process without work is kept. */
const IDLE_MS = 60_000;
/** Longer than quick, shorter than too slow. */
const WITHOUT_PROCESSOR_MS = 200;

let transformer: Transformer;

beforeEach(() => {
  transformer = new Transformer({ error: () => undefined } as unknown as Log);
});

afterEach(() => transformer.onModuleDestroy());

const evaluate = (expression: string, payload = '{"a":1}') =>
  transformer.evaluate({
    expression,
    contentType: 'application/json',
    payload,
    event: { id: 'evt_1', seq: 1, type: 'a', entity: null, received_at: '2026-11-20T12:00:00.000Z' },
    target: { name: 'one' },
  });
const childOf = (name: 'quick' | 'other' = 'other') =>
  (transformer as unknown as { processes: Record<typeof name, { child: ChildProcess | null }> }).processes[
    name
  ].child;

/** Resolves with the expression itself. */
const evaluated = (expression: string) => evaluate(expression).then(() => expression);

it('each evaluation gets its own outcome, and the same expression is used again', async () => {
  const outcomes = await Promise.all([1, 2, 3].map((a) => evaluate('a + 1', `{"a":${a}}`)));
  expect(outcomes).toMatchObject([{ body: '2' }, { body: '3' }, { body: '4' }]);
  expect(await transformer.check('a.(')).toMatchObject({ code: 'S0203' });
  expect(await transformer.check('a')).toBeNull();
});

it.each([
  ['a regular expression that never ends', '$match($pad("", 60, "a") & "b", /^(a+)+$/)', /^too_slow$/],
  [
    'a text that fills the memory',
    '$length($reduce([1..25], function($s, $i){ $s & $s }, "aaaa"))',
    // On a busy machine the limit of time may come first.
    /^(process_ended|too_slow)$/,
  ],
])('%s fails, and those behind it are evaluated', async (_, expression, code) => {
  const [hostile, other] = await Promise.all([evaluate(expression), evaluate('a')]);
  expect(hostile).toMatchObject({ failure: { code: expect.stringMatching(code) } });
  expect(other).toMatchObject({ body: '1' });
});

it('an expression that was quick does not wait for one that never ends', async () => {
  await until('it goes first', async () => {
    const hostile = evaluated('$match($pad("", 60, "a") & "b", /^(a+)+$/)');
    const fastest = await Promise.race([hostile, evaluated('a')]);
    await hostile;
    return fastest === 'a';
  });
});

it('an expression whose process had no processor for a while was quick', async () => {
  await evaluate('1');
  const child = childOf()!;
  child.kill('SIGSTOP');
  const outcome = evaluate('a');
  await pause(WITHOUT_PROCESSOR_MS);
  child.kill('SIGCONT');
  expect(await outcome).toMatchObject({ body: '1' });
  expect(childOf('quick')).toBeNull();
  await evaluate('a');
  expect(childOf('quick')).not.toBeNull();
});

it('what was under way when the process is killed is evaluated by the next one', async () => {
  await evaluate('a');
  const child = childOf()!;
  const outcome = evaluate('$sum([1..20000])');
  child.kill('SIGKILL');
  expect(await outcome).toMatchObject({ body: '200010000' });
  expect(childOf()!.pid).not.toBe(child.pid);
});

it('the process ends, with its memory, once nothing was evaluated for a while, and is started again', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] });
  try {
    await evaluate('a');
    const child = childOf()!;
    const ended = once(child, 'exit');
    jest.advanceTimersByTime(IDLE_MS);
    await ended;
  } finally {
    jest.useRealTimers();
  }
  expect(await evaluate('a')).toMatchObject({ body: '1' });
});

it('the end of the daemon leaves outcomes unknown, and no process behind', async () => {
  await evaluate('a');
  const child = childOf()!;
  const outcome = evaluate('$match($pad("", 60, "a") & "b", /^(a+)+$/)');
  transformer.onModuleDestroy();
  expect(await outcome).toBeNull();
  await until('the process to end', () => child.signalCode === 'SIGKILL');
  expect(await evaluate('a')).toBeNull();
});
