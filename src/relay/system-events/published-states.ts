import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Journal } from '../database/journal';

interface Told {
  state: string;
  /** How many were told of this topic. */
  number: number;
}

/** What was last told of each topic, over restarts. */
@Injectable()
export class ToldStates implements OnModuleInit {
  private told = new Map<string, Told>();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<(Told & { topic: string })[]>(
      'SELECT topic, state, number FROM told_states',
    );
    this.told = new Map(rows.map(({ topic, state, number }) => [topic, { state, number }]));
  }

  of(topic: string): Told | null {
    return this.told.get(topic) ?? null;
  }

  /** @throws RelayError `storage_failed` */
  async note(topic: string, state: string): Promise<void> {
    const told = { state, number: (this.of(topic)?.number ?? 0) + 1 };
    await this.journal.change([
      [
        'INSERT OR REPLACE INTO told_states(topic, state, number) VALUES (?, ?, ?)',
        [topic, told.state, told.number],
      ],
    ]);
    this.told.set(topic, told);
  }
}
