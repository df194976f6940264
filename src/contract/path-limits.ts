// Nothing is imported here, since threads load it without the packages of the daemon.
export const MAX_PATH_LENGTH = 200;
export const MAX_PATH_STEPS = 10;

/** What a filter reads as an operator, so that no step of a path is written like it. */
export const FILTER_WORDS = [
  '$and',
  '$or',
  '$not',
  '$eq',
  '$ne',
  '$in',
  '$nin',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$exists',
  '$startsWith',
  '$contains',
  '$changed',
  '$was',
  '$became',
] as const;
export type FilterWord = (typeof FILTER_WORDS)[number];
