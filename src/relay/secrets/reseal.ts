import { assertKeyOpens, isRightKey } from './check-key';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns';
import type { Sealer } from './sealer';

/** Runs a statement with values for each `?`. @returns its rows */
export type Run = <Row>(sql: string, values: unknown[]) => Promise<Row[]>;

interface SealedRow {
  key: number;
  sealed: string;
}

/**
 * Encrypts all secrets of a database again, in a transaction that the caller has begun.
 * @returns how many; null if they are encrypted with the new key already
 * @throws StartupError if `before` has another key than the database
 */
export async function reseal(run: Run, before: Sealer, after: Sealer): Promise<number | null> {
  const [instance] = await run<{ key_check: string | null }>('SELECT key_check FROM instance', []);
  const check = instance?.key_check ?? null;
  if (check === null || isRightKey(check, after)) return check === null ? 0 : null;
  assertKeyOpens(check, before);
  let count = 0;
  for (const column of Object.keys(SEALED_COLUMNS) as SealedColumn[]) {
    const { [column]: key } = SEALED_COLUMNS;
    const [table, name] = column.split('.');
    const rows = await run<SealedRow>(
      `SELECT ${key} AS key, ${name} AS sealed FROM ${table} WHERE ${name} IS NOT NULL`,
      [],
    );
    for (const row of rows)
      await run(`UPDATE ${table} SET ${name} = ? WHERE ${key} = ?`, [
        after.seal(before.open(row.sealed, column), column),
        row.key,
      ]);
    count += rows.length;
  }
  return count;
}
