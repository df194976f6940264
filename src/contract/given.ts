/** JSON Schema: all these fields are given. They are named as properties, too, so that a linter finds them. */
export const given = (
  ...required: string[]
): { properties: Record<string, { description: string }>; required: string[] } => ({
  properties: Object.fromEntries(required.map((name) => [name, { description: 'It is given.' }])),
  required,
});
