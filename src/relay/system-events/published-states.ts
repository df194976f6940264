import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Journal } from '../database/journal/journal';
import { upsert } from '../database/journal/statements';

interface PublishedState {
  state: string;
  /** How many states of this topic were published. */
  number: number;
}

/** The last published state of each topic, across restarts. */
@Injectable()
export class PublishedStates implements OnModuleInit {
  private published = new Map<string, PublishedState>();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<(PublishedState & { topic: string })[]>(
      'SELECT topic, state, number FROM published_states',
    );
    this.published = new Map(rows.map(({ topic, state, number }) => [topic, { state, number }]));
  }

  of(topic: string): PublishedState | null {
    return this.published.get(topic) ?? null;
  }

  /** @throws RelayError `storage_failed` */
  async save(topic: string, state: string): Promise<void> {
    const published = { state, number: (this.of(topic)?.number ?? 0) + 1 };
    await this.journal.change({ statements: [upsert('published_states', 'topic', { topic, ...published })] });
    this.published.set(topic, published);
  }
}
