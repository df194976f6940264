import { BoundedSet } from './bounded-set';
import type { RecordFactory } from './record-factory';
import type { CommonFields, Linked } from './records';

/** The records of one kind, which are stored without their links and returned with them. */
export class LinkedRecords<T extends CommonFields & { id: number }> {
  readonly records: BoundedSet<T>;

  constructor(
    private readonly kind: 'deals' | 'contacts' | 'tasks',
    protected readonly factory: RecordFactory,
  ) {
    this.records = new BoundedSet(factory.random);
  }

  /** Oldest first. */
  all(): Linked<T>[] {
    return this.records.all().map((record) => this.withLink(record));
  }

  find(id: number | undefined): Linked<T> | undefined {
    const record = this.records.find(id);
    return record && this.withLink(record);
  }

  /** A copy of the record with its link (document, 2.1). */
  protected withLink(record: T): Linked<T> {
    return { ...record, _links: { self: `${this.factory.baseUrl()}/v1/${this.kind}/${record.id}` } };
  }

  /** Changes the record in place. */
  protected update(record: T, changes: Partial<T>): Linked<T> {
    return this.withLink(this.factory.update(record, changes));
  }
}
