const VALUE_LABELS = {
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

/** A second operator is the condition of the first. */
const CHANGE_LABELS = {
  changed: 'changed',
  unchanged: 'did not change',
  $became: 'became',
  '$became $in': 'became one of',
  '$became $gte': 'became at least',
  '$became $lte': 'became at most',
  $was: 'was',
  '$was $in': 'was one of',
  '$was $gte': 'was at least',
  '$was $lte': 'was at most',
} as const;

/** The operators of the builder: those of a filter, with `$exists` and `$changed` as two each. */
export const OPERATOR_LABELS = { ...VALUE_LABELS, ...CHANGE_LABELS };
export type BuilderOperator = keyof typeof OPERATOR_LABELS;

const choices = (labels: Partial<typeof OPERATOR_LABELS>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** What is said of an event, or only of a value, as of a state. */
export const operatorChoices = (of: 'events' | 'values') =>
  of === 'values'
    ? choices(VALUE_LABELS)
    : [
        { group: 'The value', items: choices(VALUE_LABELS) },
        { group: 'Compared with the state before', items: choices(CHANGE_LABELS) },
      ];

export const isBuilderOperator = (text: string): text is BuilderOperator => text in OPERATOR_LABELS;

/** Whether it compares with the state before, of which only the record is known. */
export const looksAtChanges = (operator: BuilderOperator): boolean => operator in CHANGE_LABELS;

export const takesList = (operator: BuilderOperator): boolean => /\$n?in$/.test(operator);

const WITHOUT_VALUE: readonly BuilderOperator[] = ['exists', 'missing', 'changed', 'unchanged'];

/** Whether a condition with this operator has a value. */
export const takesValue = (operator: BuilderOperator): boolean => !WITHOUT_VALUE.includes(operator);
