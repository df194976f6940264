import type { Knowledge } from '../../../contract/entity';
import { judgeBodies, type JudgeBody } from '../../filters/body-conditions';
import { valuesAt } from '../../filters/filter-paths';
import { parseBody } from '../../ground/parse-body';
import { versionOfBody } from '../../ground/record-version';
import type { Connection } from './sqlite-driver';

/**
 * Adds SQL functions on bodies, since to read thousands would block the main thread: `meet_conditions(conditions, body,
 * knowledge, previous)`, the verdicts, or NULL if all are false, and `read_fields(paths, body)`, the values at the
 * paths; all in JSON. `version_of(body)` is the version of the record.
 */
export function defineBodyFunctions(connection: Connection): void {
  let compiled: { text: string; judge: JudgeBody } | null = null;
  connection.function(
    'meet_conditions',
    { deterministic: true },
    (text: string, body: Buffer, knowledge: Knowledge, previous: Buffer | null) => {
      if (compiled?.text !== text) compiled = { text, judge: judgeBodies(JSON.parse(text) as string[]) };
      const verdicts = compiled.judge(body, { knowledge, body: previous });
      return verdicts && JSON.stringify(verdicts);
    },
  );
  connection.function('read_fields', { deterministic: true }, (paths: string, body: Buffer) =>
    JSON.stringify(valuesAt(JSON.parse(paths) as string[], parseBody(body))),
  );
  connection.function('version_of', { deterministic: true }, versionOfBody);
}
