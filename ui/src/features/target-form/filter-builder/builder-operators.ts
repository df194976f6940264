/** The operators of the builder: those of a filter, with `$exists` as two. */
export const OPERATOR_LABELS = {
  $eq: 'is',
  $ne: 'is not',
  $in: 'is one of',
  $nin: 'is none of',
  $gt: 'greater than',
  $gte: 'at least',
  $lt: 'less than',
  $lte: 'at most',
  $contains: 'contains',
  $startsWith: 'starts with',
  exists: 'exists',
  missing: 'is missing',
} as const;
export type BuilderOperator = keyof typeof OPERATOR_LABELS;

export const isBuilderOperator = (text: string): text is BuilderOperator => text in OPERATOR_LABELS;

/** Whether a condition with this operator has a value. */
export const takesValue = (operator: BuilderOperator): boolean =>
  operator !== 'exists' && operator !== 'missing';
