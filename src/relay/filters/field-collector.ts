import type { FieldKind, PayloadField } from '../../contract/payload-field';
import { parsePath } from './filter-paths';

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
      // Elements have the path of their array; nested arrays need an index, which no other event may have.
      for (const element of value.slice(0, MAX_ELEMENTS))
        if (!Array.isArray(element)) this.walk(element, path, seen);
      return;
    }
    if (typeof value !== 'object' || value === null) {
      if (path !== '') this.note(path, value as FieldValue, seen);
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      const inner = path === '' ? name : `${path}.${name}`;
      // A name with a dot or an operator cannot be part of a path; longer paths are not allowed either.
      const steps = parsePath(inner);
      if (!name.includes('.') && typeof steps !== 'string') this.walk(member, inner, seen);
    }
  }

  private note(path: string, value: FieldValue, seen: Set<string>): void {
    const field = this.found.get(path) ?? { kinds: new Set(), events: 0, samples: new Set() };
    if (!this.found.has(path)) {
      if (this.found.size >= MAX_FIELDS) return;
      this.found.set(path, field);
    }
    seen.add(path);
    field.kinds.add(kindOf(value));
    const isShort = typeof value !== 'string' || value.length <= MAX_SAMPLE_LENGTH;
    if (field.samples.size < MAX_SAMPLES && isShort) field.samples.add(value);
  }
}

type FieldValue = PayloadField['samples'][number];

const kindOf = (value: FieldValue): FieldKind => (value === null ? 'null' : (typeof value as FieldKind));
