import { SYSTEM_EVENT_PREFIX, UNREADABLE_TYPE } from '../../contract/constants';
import { parseBody, writeJson } from '../ground/parse-body';
import { parsePath } from './filter-paths';
import { patternMatcher } from './type-pattern';

/** What is shown in place of a masked value. */
export const MASKED = '***';

const TYPE_PATTERN = /^[A-Za-z0-9_.*-]+$/;

/** The name of an event is one of these values of its payload. */
const NAMES = ['data.name', 'data.title'];

/** A path whose values are masked, and in the payloads of which types. */
interface MaskedPath {
  accepts: (type: string) => boolean;
  /** As it was set. */
  text: string;
  steps: string[];
}

/**
 * Which values of payloads are masked, by `SWITCHBOARD_MASK`. A caller without the scope `reveal` has it as
 * `Operator.mask`, anyone else null; whatever shows a value of a payload, or tells something about it, must ask it.
 */
export class PayloadMask {
  constructor(private readonly paths: readonly MaskedPath[]) {}

  /** The masked paths as they were set. */
  get pathTexts(): string[] {
    return this.paths.map(({ text }) => text);
  }

  /** The steps of the paths that are masked in payloads of a type. */
  stepsIn(type: string): string[][] {
    return this.applyingTo(type).map(({ steps }) => steps);
  }

  /** Whether what is at a path may contain a masked value or be a part of one. @param type by default any type */
  covers(path: string, type?: string): boolean {
    const steps = parsePath(path);
    return typeof steps !== 'string' && this.applyingTo(type).some((masked) => overlap(masked.steps, steps));
  }

  /** Whether the name of an event is masked, which is a value of its payload. */
  coversName(type: string): boolean {
    return NAMES.some((path) => this.covers(path, type));
  }

  /** Replaces the masked values in the parsed payload of an event, and whatever they contain. @returns the payload */
  apply(type: string, payload: unknown): unknown {
    for (const steps of this.stepsIn(type)) replaceAt(payload, steps);
    return payload;
  }

  /** The body of an event as JSON with masked values; null if it is not readable, and masked as a whole. */
  bodyOf(type: string, body: Uint8Array): Uint8Array | null {
    if (type === UNREADABLE_TYPE) return null;
    return this.stepsIn(type).length === 0 ? body : Buffer.from(writeJson(this.apply(type, parseBody(body))));
  }

  private applyingTo(type: string | undefined): readonly MaskedPath[] {
    return type === undefined ? this.paths : this.paths.filter(({ accepts }) => accepts(type));
  }
}

/**
 * Reads `path` or `pattern:path`. A path alone applies to all of Co-Pilot's events.
 * @returns a string that describes the error if it is invalid
 */
export function parseMaskedPath(text: string): MaskedPath | string {
  const [, pattern, path] = /^([^:]*):(.*)$/.exec(text) ?? [null, null, text];
  if (pattern !== null && !TYPE_PATTERN.test(pattern))
    return 'before a colon there must be an event type or a pattern such as contact.*';
  const steps = parsePath(path);
  if (typeof steps === 'string') return steps;
  if (steps[0] !== 'data') return 'a path begins with data, such as data.email';
  const accepts =
    pattern === null ? (type: string) => !type.startsWith(SYSTEM_EVENT_PREFIX) : patternMatcher(pattern);
  return { accepts, text, steps };
}

const isIndex = (step: string) => /^\d+$/.test(step);

/** Whether one path begins with the other. Either may lack the index of an element that the other has. */
function overlap(one: readonly string[], other: readonly string[]): boolean {
  const [first, ...rest] = one;
  const [second, ...restOfOther] = other;
  if (first === undefined || second === undefined) return true;
  return (
    (first === second && overlap(rest, restOfOther)) ||
    (isIndex(first) && overlap(rest, other)) ||
    (isIndex(second) && overlap(one, restOfOther))
  );
}

/** Finds values as a filter does. Not recursive: arrays may be nested very deep. */
function replaceAt(payload: unknown, steps: readonly string[]): void {
  const open: [value: unknown, from: number][] = [[payload, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, from] = next;
    const step = steps[from]!;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value) && !isIndex(step)) for (const element of value) open.push([element, from]);
    else if (!Object.hasOwn(value, step)) continue;
    else if (from === steps.length - 1) (value as Record<string, unknown>)[step] = MASKED;
    else open.push([(value as Record<string, unknown>)[step], from + 1]);
  }
}
