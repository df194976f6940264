import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ListenerState } from '../../../contract/target-listener';
import { Journal } from '../../database/journal/journal';
import { Clock } from '../../ground/clock';
import { isoOrNull } from '../../ground/iso-time';
import { Log } from '../../ground/log';
import type { TargetRecord } from '../../targets/target-record';

/** The latest connection of the process of a listener, as stored. Times are ms since 1970. */
export interface ListenerConnection {
  connectedAt: number;
  /** Null while it is connected. */
  lostAt: number | null;
  address: string;
  version: string;
  forwardTo: string;
  /** The name of its API token; null with another login. */
  token: string | null;
}

/** Which process is or was connected for each listener, stored across restarts. */
@Injectable()
export class ListenerStatesStore implements OnModuleInit {
  private readonly latest = new Map<number, ListenerConnection>();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<{ number: number; state: string }[]>(
      'SELECT number, listener_state AS state FROM targets WHERE deleted_at IS NULL AND listener_state IS NOT NULL',
    );
    for (const { number, state } of rows) {
      const connection = JSON.parse(state) as ListenerConnection;
      this.latest.set(number, { ...connection, lostAt: connection.lostAt ?? this.clock.now() });
    }
  }

  of(target: number): ListenerConnection | null {
    return this.latest.get(target) ?? null;
  }

  /** Since when a process has been connected, or none, in ms since 1970; null before the first connection. */
  since(target: number): number | null {
    const connection = this.of(target);
    return connection && (connection.lostAt ?? connection.connectedAt);
  }

  /** Not awaited: it is for people, and its loss harms nothing. */
  record(target: number, connection: ListenerConnection): void {
    this.latest.set(target, connection);
    this.journal
      .change({
        statements: [
          ['UPDATE targets SET listener_state = ? WHERE number = ?', [JSON.stringify(connection), target]],
        ],
      })
      .catch((error: unknown) => this.log.warn({ err: error, target }, 'state of a listener not stored'));
  }

  present({ number, listener }: Pick<TargetRecord, 'number' | 'listener'>): ListenerState | null {
    if (listener === null) return null;
    const { ephemeral } = listener;
    const latest = this.of(number);
    return {
      connected: latest?.lostAt === null,
      since: isoOrNull(this.since(number)),
      address: latest?.address ?? null,
      version: latest?.version ?? null,
      forward_to: latest?.forwardTo ?? null,
      token: latest?.token ?? null,
      ephemeral,
    };
  }
}
