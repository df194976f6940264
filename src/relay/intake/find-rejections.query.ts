import { Injectable } from '@nestjs/common';
import type { Rejection, RejectionDrops, RejectionPage } from '../../contract/rejection';
import { Reader, type RequestSignal } from '../database/reading/reader';
import { RelayError, unknownCursor } from '../ground/relay-error';
import { isoOrNull } from '../ground/iso-time';
import { cutPage } from '../ground/cut-page';

/** Longer headers are truncated in lists, because an attacker controls their size. */
const MAX_HEADER_CHARACTERS = 4_096;

type Reason = Rejection['reason'];

interface Row {
  id: string;
  received_at: number;
  reason: Reason;
  address: string | null;
  headers: string;
  size: number;
}

const SENTENCES: Readonly<Record<Reason, string>> = {
  no_signature: 'No header contains anything that looks like a signature (64 hexadecimal digits).',
  signature_mismatch:
    'The signature does not match: the notification was forged, modified in transit, or signed with another secret.',
};

/** Reads the quarantine on the reader thread: an attacker could make it large, and so the queries slow. */
@Injectable()
export class FindRejectionsQuery {
  constructor(private readonly reader: Reader) {}

  /**
   * Newest first, without the bodies.
   * @throws RelayError `cursor_unknown`, 400, also once the cursor's notification was accepted or dropped
   */
  async list(limit: number, cursor: string | undefined, signal?: RequestSignal): Promise<RejectionPage> {
    // The row number gives the order of arrival; ids created in the same millisecond are not ordered.
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : await this.numberOf(cursor, signal);
    const rows = await this.reader.all<Row>(
      [
        `SELECT id, received_at, address, reason, headers, length(body) AS size FROM rejections WHERE number < ?
         ORDER BY number DESC LIMIT ?`,
        [before, limit + 1],
      ],
      signal,
    );
    return { ...cutPage(rows.map(rejectionFromRow), limit), dropped: await this.dropped(signal) };
  }

  /** @throws RelayError `rejection_unknown`, 404 */
  async body(id: string, signal?: RequestSignal): Promise<Uint8Array> {
    const row = await this.find<{ body: Uint8Array }>('body', id, signal);
    if (row === undefined) throw rejectionUnknown(id);
    return row.body;
  }

  private async numberOf(id: string, signal?: RequestSignal): Promise<number> {
    const row = await this.find<{ number: number }>('number', id, signal);
    if (row === undefined) throw unknownCursor();
    return row.number;
  }

  private async find<Found>(column: string, id: string, signal?: RequestSignal): Promise<Found | undefined> {
    const sql = `SELECT ${column} FROM rejections WHERE id = ?`;
    return (await this.reader.all<Found>([sql, [id]], signal))[0];
  }

  private async dropped(signal?: RequestSignal): Promise<RejectionDrops> {
    const [row] = await this.reader.all<{ count: number; first_at: number | null; last_at: number | null }>(
      ['SELECT count, first_at, last_at FROM rejection_drops', []],
      signal,
    );
    const { count, first_at, last_at } = row!;
    return { count, first_at: isoOrNull(first_at), last_at: isoOrNull(last_at) };
  }
}

export const rejectionUnknown = (id: string) =>
  new RelayError('rejection_unknown', 404, `There is no rejected notification ${id}.`, {
    remedy: 'It may have been accepted or dropped since; GET /api/v1/rejections lists what is quarantined.',
  });

function rejectionFromRow({ id, received_at, address, reason, headers, size }: Row): Rejection {
  return {
    id,
    received_at: new Date(received_at).toISOString(),
    address,
    reason,
    sentence: SENTENCES[reason],
    size_bytes: size,
    headers: truncateHeaders(JSON.parse(headers) as [string, string][]),
  };
}

function truncateHeaders(headers: [string, string][]): [string, string][] {
  let left = MAX_HEADER_CHARACTERS;
  return headers.flatMap(([name, value]): [string, string][] => {
    if (left < name.length) return [];
    left -= name.length;
    const shown = value.slice(0, left);
    left -= shown.length;
    return [[name, shown]];
  });
}
