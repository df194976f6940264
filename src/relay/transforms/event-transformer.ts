import { Injectable } from '@nestjs/common';
import type { Knowledge } from '../../contract/entity';
import type { TransformSettings } from '../../contract/transform';
import { Journal, type DeliverableEvent } from '../database/journal/journal';
import { COMPARED, JOIN_PREVIOUS, PREVIOUS_BODY } from '../database/reading/compared-events';
import { Reader } from '../database/reading/reader';
import { eventId } from '../ground/ids';
import { toIso } from '../ground/iso-time';
import { bodyText } from '../ground/parse-body';
import type { TransformOutcome } from './transform-messages';
import { Transformer } from './transformer';

/** Looked up only for expressions that name it. */
const NAMED = /\$previous\b/;

/** What an event is compared with, and what the first attempt with this version of the expression was made with. */
const READ_PREVIOUS = `${COMPARED} SELECT c.knowledge, coalesce(c.previous, 0) AS seq, p.received_at AS "receivedAt",
    ${PREVIOUS_BODY} AS body, (
      SELECT a.previous FROM attempts a WHERE a.event_seq = c.seq AND a.target_id = ? AND a.transform = ?
        AND a.previous IS NOT NULL ORDER BY a.n, a.number LIMIT 1) AS attempted
  FROM compared c ${JOIN_PREVIOUS}`;

interface PreviousRow {
  knowledge: Knowledge;
  seq: number;
  /** Null unless the event is stored. */
  receivedAt: number | null;
  body: Uint8Array | null;
  attempted: number | null;
}

/** `$previous`. */
interface PreviousPayload {
  /** Of the event whose payload it is; 0 if there is none. */
  seq: number;
  /** Null unless the event is stored. */
  id: string | null;
  /** As JSON: `null` for an event that created its entity; undefined if nothing is known. */
  text: string | undefined;
  /** Whether an attempt with the same version of the expression was made with another event's. */
  isLost: boolean;
}

interface Evaluated {
  /** Null if nothing is known of the outcome. */
  outcome: TransformOutcome | null;
  /** Null if the expression does not name it. */
  previous: PreviousPayload | null;
}

/** Whose expression it is; without number and version, one that is tried. */
interface Owner {
  name: string;
  number?: number;
  transformVersion?: number;
}

/** Evaluates expressions with stored events. */
@Injectable()
export class EventTransformer {
  constructor(
    private readonly transformer: Transformer,
    private readonly reader: Reader,
    private readonly journal: Journal,
  ) {}

  /** The same version of an expression has the same outcome with an event, or fails. @throws RelayError `storage_failed`, 503 */
  async evaluate(
    { expression, content_type: contentType }: Pick<TransformSettings, 'expression' | 'content_type'>,
    { seq, type, entity, receivedAt, body }: DeliverableEvent,
    owner: Owner,
  ): Promise<Evaluated> {
    const position = expression.search(NAMED);
    const previous = position === -1 ? null : await this.readPrevious(seq, owner);
    if (previous?.isLost) return { outcome: { failure: { ...LOST, position } }, previous };
    const id = eventId(receivedAt, seq, this.journal.instanceId);
    const outcome = await this.transformer.evaluate({
      expression,
      contentType,
      payload: bodyText(body),
      previous: previous?.text,
      event: { id, seq, type, entity, received_at: toIso(receivedAt) },
      target: { name: owner.name },
    });
    return { outcome, previous };
  }

  private async readPrevious(
    of: number,
    { number = 0, transformVersion = 0 }: Owner,
  ): Promise<PreviousPayload> {
    const [row] = await this.reader.all<PreviousRow>([
      READ_PREVIOUS,
      [JSON.stringify([of]), number, transformVersion],
    ]);
    const { knowledge = 'unknown', seq = 0, receivedAt = null, body = null, attempted = null } = row ?? {};
    return {
      seq,
      id: receivedAt === null ? null : eventId(receivedAt, seq, this.journal.instanceId),
      text: knowledge === 'unknown' ? undefined : body === null ? 'null' : bodyText(body),
      isLost: attempted !== null && attempted !== seq,
    };
  }
}

const LOST = {
  code: 'previous_unavailable',
  message: 'What an earlier attempt was made with as $previous was removed; the body would be another one.',
};
