import jsonata, { type Expression } from 'jsonata';
import { readPayload } from './read-payload';
import { describeFailure } from './transform-failed';
import type { TransformOutcome, TransformRequest } from './transform-messages';
import { writeResult } from './write-result';

const LIMITS = { timeout: 100, stack: 200, sequence: 100_000 };
const TIMED_OUT = 'D1012';

const MAX_COMPILED = 50;
const compiled = new Map<string, Expression>();

/** What `$now` and `$millis` return, in ms since 1970: when the event was received, so that retries send the same. */
let now = 0;

type FromMillis = (ms: number, picture?: string, timezone?: string) => string;
const fromMillis = jsonata('$fromMillis').evaluate(null) as Promise<{ implementation: FromMillis }>;

/** Evaluates an expression with a payload; the same ones always have the same outcome. */
export async function evaluate(request: TransformRequest): Promise<TransformOutcome> {
  const { expression, contentType, payload, previous, event, target } = request;
  const startedAt = cpuTime();
  try {
    const program = compiled.get(expression) ?? (await compile(expression));
    if (payload === null) return { body: '', tookMs: cpuTime() - startedAt };
    now = Date.parse(event.received_at);
    const before = previous === undefined ? undefined : readPayload(previous, '$previous');
    const result = await evaluateInTime(program, readPayload(payload), { event, target, previous: before });
    return { body: writeResult(result, contentType), tookMs: cpuTime() - startedAt };
  } catch (error) {
    return { failure: describeFailure(error) };
  }
}

/** @throws what JSONata throws */
async function compile(text: string): Promise<Expression> {
  const { implementation } = await fromMillis;
  const program = jsonata(text, LIMITS);
  const clock = {
    now: [(picture?: string, timezone?: string) => implementation(now, picture, timezone), '<s?s?:s>'],
    millis: [() => now, '<:n>'],
  } as const;
  for (const [name, [read, signature]] of Object.entries(clock))
    program.registerFunction(name, read, signature);
  for (const random of ['random', 'shuffle']) program.assign(random, undefined);
  const [oldest] = compiled.keys();
  if (compiled.size >= MAX_COMPILED) compiled.delete(oldest!);
  compiled.set(text, program);
  return program;
}

/** JSONata measures by the clock, also while this process has no processor: then it is evaluated again. */
async function evaluateInTime(program: Expression, payload: unknown, bindings: object): Promise<unknown> {
  const startedAt = cpuTime();
  for (;;) {
    try {
      return await program.evaluate(payload, { ...bindings });
    } catch (error) {
      if ((error as { code?: string }).code !== TIMED_OUT || cpuTime() - startedAt >= LIMITS.timeout)
        throw error;
    }
  }
}

/** In ms, of the whole process: that of a thread is known only to some milliseconds. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
