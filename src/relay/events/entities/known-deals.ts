import type { Statement } from '../../database/journal/statements';

/** Begins a baseline. @param at ms since 1970, which names it */
export const beginKnowingDeals = (at: number): Statement => [
  'UPDATE instance SET deals_known_from = NULL, deals_known_since = ?',
  [at],
];

/** A baseline has read every deal, unless {@link FORGET_DEALS} ran after it began. @param at as when it began */
export const knowDeals = (at: number): Statement => [
  `UPDATE instance SET deals_known_from = coalesce((SELECT max(seq) FROM events), 0) WHERE deals_known_since = ?`,
  [at],
];

/** Deals may have become unknown, or were created while no notifications were expected. */
export const FORGET_DEALS: Statement = [
  'UPDATE instance SET deals_known_from = NULL, deals_known_since = NULL',
  [],
];

/**
 * SQL of a value of `instance`: since when every deal is known at a `seq`, in ms since 1970; null if that cannot be said.
 * Since a baseline began, no outage may have hidden a new deal. Binds the `seq` twice.
 */
export const DEALS_KNOWN_SINCE = `CASE WHEN deals_known_from <= ? AND (SELECT expecting FROM heartbeat) = 1 AND NOT EXISTS (
    SELECT 1 FROM outages WHERE coalesce(ended_at, deals_known_since) >= deals_known_since AND coalesce(after_seq, 0) < ?)
  THEN deals_known_since END`;
