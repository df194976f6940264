import { GAP_EVENT } from '../../../contract/constants';

const WAS_SENT = `EXISTS (SELECT 1 FROM deliveries d
  WHERE d.event_seq = x.seq AND d.target_id = @target AND d.state NOT IN ('dead', 'cancelled'))`;

const ofEntity = (table: string, after: string) =>
  `(SELECT x.seq FROM ${table} x WHERE x.entity = @entity AND x.seq > ${after} AND x.seq < @seq AND ${WAS_SENT}
     ORDER BY x.seq DESC LIMIT 1)`;

const NEWEST_GAP = `(SELECT max(seq) FROM events INDEXED BY events_gaps WHERE type = '${GAP_EVENT}' AND seq < @seq)`;
const INDEXED_THROUGH = '(SELECT indexed_through FROM instance)';

/**
 * SQL for both engines: the gap events that a target receives, between an event and the last one of its entity that is
 * sent to this target; those of dead and cancelled deliveries are not. First the cheapest and most frequent case is
 * looked for, one after the newest gap in the index; what is not indexed yet is scanned.
 */
export const GAPS_BEFORE = `SELECT g.body FROM events g INDEXED BY events_gaps
  WHERE g.type = '${GAP_EVENT}' AND g.seq < @seq
    AND g.seq > coalesce(${ofEntity('event_entities', NEWEST_GAP)}, ${ofEntity('events', INDEXED_THROUGH)}, ${ofEntity('event_entities', '0')})
    AND EXISTS (SELECT 1 FROM deliveries d WHERE d.event_seq = g.seq AND d.target_id = @target)
  ORDER BY g.seq`;
