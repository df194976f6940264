import { JOIN_IN_ORDER, jsonListAs, matchesPattern, versionOf } from './dialect';

/** How far late events may reach: only if so many of an entity arrive in a row, a later one replaces its state. */
export const CANDIDATES = 16;

/** SQL: an event with a negative version tells no state. @param index alias of `event_entities` */
export const hasState = (index: string) => `coalesce(${index}.version, 0) >= 0`;

/**
 * SQL: the events whose `seq`s are bound as one JSON array, as a table `compared` with the columns `seq` and `entity`;
 * `known`, the event that told the state of its entity before, with `known_origin` if that is in the entity floor;
 * `previous`, the one it is compared with: of the highest version that is not above its own, so another one if it is
 * late; `is_removed`, 1 if that is in the entity floor; and `knowledge` of it. It begins with `WITH`.
 */
export const COMPARED = `WITH given AS (
    SELECT e.seq, e.type, CASE WHEN e.unreadable IS NULL THEN e.entity END AS entity,
      CASE WHEN e.unreadable IS NULL THEN ${versionOf('e')} END AS version
    FROM ${jsonListAs('w', 'numbers')} ${JOIN_IN_ORDER} events e ON e.seq = w.value),
  unindexed AS (
    SELECT e.seq, e.entity, ${versionOf('e')} AS version FROM events e
    WHERE e.seq > (SELECT indexed_through FROM instance) AND e.seq < (SELECT max(seq) FROM given)
      AND e.unreadable IS NULL AND e.entity IN (SELECT entity FROM given)),
  candidates AS (
    SELECT g.seq AS event, g.version AS own, x.seq, x.version, 0 AS removed
    FROM given g ${JOIN_IN_ORDER} event_entities x
      ON x.entity = g.entity AND ${hasState('x')} AND x.seq < g.seq AND x.seq >= coalesce((
        SELECT o.seq FROM event_entities o WHERE o.entity = g.entity AND ${hasState('o')} AND o.seq < g.seq
        ORDER BY o.seq DESC LIMIT 1 OFFSET ${CANDIDATES - 1}), 0)
    UNION ALL
    SELECT g.seq, g.version, u.seq, u.version, 0 FROM given g JOIN unindexed u ON u.entity = g.entity AND u.seq < g.seq
    UNION ALL
    SELECT g.seq, g.version, f.seq, f.version, 1 FROM given g
    JOIN entity_floor f ON f.entity = g.entity AND f.seq < g.seq),
  ranked AS (
    SELECT event, own, seq, version, removed, row_number() OVER newest AS place, count(version) OVER newest AS versioned,
      sum(removed) OVER newest - removed AS newer_removed
    FROM candidates WINDOW newest AS (PARTITION BY event ORDER BY seq DESC, removed ROWS UNBOUNDED PRECEDING)),
  chosen AS (
    SELECT event, seq, removed, CASE WHEN version > own THEN 0 ELSE 1 END AS fits,
      row_number() OVER (PARTITION BY event ORDER BY version DESC, seq DESC, removed) AS rank,
      row_number() OVER (PARTITION BY event, CASE WHEN version > own THEN 0 ELSE 1 END
        ORDER BY version DESC, seq DESC, removed) AS fit
    FROM ranked WHERE newer_removed = 0 AND place <= ${CANDIDATES} AND (place = 1 OR versioned = place)),
  found AS (
    SELECT event, max(CASE WHEN rank = 1 THEN seq END) AS known, max(CASE WHEN rank = 1 THEN removed END) AS known_removed,
      max(CASE WHEN fits = 1 AND fit = 1 THEN seq END) AS previous,
      max(CASE WHEN fits = 1 AND fit = 1 THEN removed END) AS removed
    FROM chosen GROUP BY event),
  compared AS (
    SELECT g.seq, g.entity, f.known, CASE WHEN f.known_removed = 1
        THEN (SELECT origin FROM entity_floor WHERE entity = g.entity) END AS known_origin,
      f.previous, f.removed AS is_removed, CASE WHEN f.previous IS NOT NULL THEN 'known'
      WHEN ${matchesPattern('g.type', "'*.created'")} THEN 'none' ELSE 'unknown' END AS knowledge
    FROM given g LEFT JOIN found f ON f.event = g.seq)`;

/** SQL: joins what the events of the table `compared`, named `c`, are compared with. */
export const JOIN_PREVIOUS = `LEFT JOIN events p ON p.seq = c.previous AND c.is_removed = 0
  LEFT JOIN entity_floor f ON f.entity = c.entity AND c.is_removed = 1`;
export const PREVIOUS_BODY = 'coalesce(p.body, f.body)';
