/** The version of a schema whose fields are shown; without it, what is known now. */
export const payloadTypeSearch = ({ version }: Record<string, unknown>): { version?: string } =>
  typeof version === 'string' && /^[1-9]\d{0,8}$/.test(version) ? { version } : {};
