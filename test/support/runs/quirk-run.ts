import { type Quirk, QUIRKS } from '../../../src/sandbox/quirks/quirk-table';
import type { QuirkValues } from '../../../src/sandbox/quirks/quirks';
import { SandboxedHub } from './sandboxed-hub';

/** The values other than the default of each choice. */
const OTHER_VALUES = Object.entries<Quirk>(QUIRKS).flatMap(([name, quirk]) =>
  quirk.kind === 'choice'
    ? [{ name, values: Object.keys(quirk.values).filter((value) => value !== quirk.default) }]
    : [],
);

/** Each of them alone. */
export const EACH_CHOICE: Partial<QuirkValues>[] = OTHER_VALUES.flatMap(({ name, values }) =>
  values.map((value) => ({ [name]: value })),
);

/** Each of them once, in as few combinations as possible. */
export const ALL_CHOICES: Partial<QuirkValues>[] = Array.from(
  { length: Math.max(...OTHER_VALUES.map(({ values }) => values.length)) },
  (_, i) =>
    Object.fromEntries(
      OTHER_VALUES.flatMap(({ name, values }) => (i < values.length ? [[name, values[i]]] : [])),
    ),
);

/** Expects that the daemon ends up connected, registered once and receiving, also after a renewal and a restart. */
export async function expectHealthyWith(quirks: Partial<QuirkValues>): Promise<void> {
  const sandboxed = await SandboxedHub.start(quirks);
  try {
    expect(await sandboxed.hub.connect()).toBe(302);
    await sandboxed.expectHealthyAfterRestart();
  } finally {
    await sandboxed.end();
  }
}
