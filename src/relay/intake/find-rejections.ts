import { Injectable } from '@nestjs/common';
import type { Rejection, RejectionDrops, RejectionPage } from '../../contract/rejection';
import { Reader, type RequestSignal } from '../database/reader';
import { RelayError } from '../ground/relay-error';

/** Of the headers so many characters are listed: whoever sent them may have filled them. */
const SHOWN_CHARACTERS = 4_096;

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
  no_signature: 'No header carries anything that looks like a signature (64 hexadecimal digits).',
  signature_mismatch:
    'No signature in the headers fits the bytes under our secret: forged, altered on the way, or signed with another secret.',
};

/** Reads what is in quarantine, beside the thread that answers: somebody else chose its size. */
@Injectable()
export class FindRejections {
  constructor(private readonly reader: Reader) {}

  /** Newest first, without the bodies. */
  async list(limit: number, cursor: string | undefined, signal?: RequestSignal): Promise<RejectionPage> {
    // By number: of those that came in one millisecond the ids are in no order. Behind one that was dropped is nothing.
    const before = cursor === undefined ? '' : 'WHERE number < (SELECT number FROM rejections WHERE id = ?)';
    const rows = await this.reader.all<Row>(
      [
        `SELECT id, received_at, address, reason, headers, length(body) AS size FROM rejections ${before}
         ORDER BY number DESC LIMIT ?`,
        [...(cursor === undefined ? [] : [cursor]), limit + 1],
      ],
      signal,
    );
    const page = rows.slice(0, limit).map(present);
    return {
      data: page,
      next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
      dropped: await this.dropped(signal),
    };
  }

  /** @throws RelayError `rejection_unknown`, 404 */
  async body(id: string, signal?: RequestSignal): Promise<Uint8Array> {
    const [row] = await this.reader.all<{ body: Uint8Array }>(
      ['SELECT body FROM rejections WHERE id = ?', [id]],
      signal,
    );
    if (row === undefined) throw rejectionUnknown(id);
    return row.body;
  }

  private async dropped(signal?: RequestSignal): Promise<RejectionDrops> {
    const [row] = await this.reader.all<{ count: number; first_at: number | null; last_at: number | null }>(
      ['SELECT count, first_at, last_at FROM rejection_drops', []],
      signal,
    );
    const { count, first_at, last_at } = row!;
    return { count, first_at: instant(first_at), last_at: instant(last_at) };
  }
}

export const rejectionUnknown = (id: string) =>
  new RelayError('rejection_unknown', 404, `There is no rejected notification ${id}.`, {
    remedy: 'It may have been taken in or dropped; GET /api/v1/rejections lists what is kept.',
  });

function present({ id, received_at, address, reason, headers, size }: Row): Rejection {
  return {
    id,
    received_at: new Date(received_at).toISOString(),
    address,
    reason,
    sentence: SENTENCES[reason],
    size_bytes: size,
    headers: shownOf(JSON.parse(headers) as [string, string][]),
  };
}

function shownOf(headers: [string, string][]): [string, string][] {
  let left = SHOWN_CHARACTERS;
  return headers.flatMap(([name, value]): [string, string][] => {
    if (left < name.length) return [];
    left -= name.length;
    const shown = value.slice(0, left);
    left -= shown.length;
    return [[name, shown]];
  });
}

const instant = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
