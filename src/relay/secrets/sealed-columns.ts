/** The columns with encrypted texts, which `Sealer` binds a text to, and the key of the rows of their tables. */
export const SEALED_COLUMNS = {
  'grants.tokens': 'id',
  'instance.key_check': 'id',
  'subscriptions.secrets': 'id',
  'targets.previous_secret': 'number',
  'targets.secret': 'number',
  'targets.secret_headers': 'number',
  'targets.tls': 'number',
} as const;

export type SealedColumn = keyof typeof SEALED_COLUMNS;
