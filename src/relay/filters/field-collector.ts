import type { FieldKind, PayloadField } from '../../contract/payload-field';
import { ExactNumber } from '../ground/exact-number';
import { isJsonObject } from '../ground/parse-body';
import { joinPath, parsePath } from './filter-paths';
import { someElement } from './some-element';

const MAX_FIELDS = 200;
const MAX_ELEMENTS = 20;
const MAX_SAMPLES = 5;
const MAX_SAMPLE_LENGTH = 80;

interface FoundField {
  kinds: Set<FieldKind>;
  events: number;
  samples: Set<PayloadField['samples'][number]>;
}

/** Collects the fields of payloads under the paths by which a filter reaches them. */
export class FieldCollector {
  private readonly found = new Map<string, FoundField>();

  /** @param payload parsed JSON */
  add(payload: unknown): void {
    const seen = new Set<string>();
    this.walk(payload, '', seen);
    for (const path of seen) this.found.get(path)!.events += 1;
  }

  fields(): PayloadField[] {
    return [...this.found].map(([path, { kinds, events, samples }]) => ({
      path,
      kinds: [...kinds],
      events,
      samples: [...samples],
    }));
  }

  private walk(value: unknown, path: string, seen: Set<string>): void {
    if (Array.isArray(value)) {
      let elements = 0;
      someElement(value, (element) => {
        this.walk(element, path, seen);
        return (elements += 1) >= MAX_ELEMENTS;
      });
      return;
    }
    if (!isJsonObject(value)) {
      if (path !== '') this.note(path, value as FieldValue | ExactNumber, seen);
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      const inner = joinPath(path, name);
      // An empty name cannot be part of a path, and longer paths are not allowed.
      if (typeof parsePath(inner) !== 'string') this.walk(member, inner, seen);
    }
  }

  private note(path: string, found: FieldValue | ExactNumber, seen: Set<string>): void {
    const value = found instanceof ExactNumber ? found.toJSON() : found;
    const field = this.found.get(path) ?? { kinds: new Set(), events: 0, samples: new Set() };
    if (!this.found.has(path)) {
      if (this.found.size >= MAX_FIELDS) return;
      this.found.set(path, field);
    }
    seen.add(path);
    field.kinds.add(found instanceof ExactNumber ? 'number' : kindOf(value));
    const isShort = typeof value !== 'string' || value.length <= MAX_SAMPLE_LENGTH;
    if (field.samples.size < MAX_SAMPLES && isShort) field.samples.add(value);
  }
}

type FieldValue = PayloadField['samples'][number];

const kindOf = (value: FieldValue): FieldKind => (value === null ? 'null' : (typeof value as FieldKind));
