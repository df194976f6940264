import type { Erasure } from '@contract/erasure';
import { Mono } from '../../components/mono';
import { ExactTime } from '../../components/time-ago';
import { formatNoun } from '../../format/number';

/** The backups that still hold what is erased. */
export function RemainingBackups({ backups: { files, rotates_out_at: until } }: Pick<Erasure, 'backups'>) {
  if (files.length === 0) return null;
  return (
    <div>
      <p>
        {formatNoun(files.length, 'backup')} still {files.length === 1 ? 'holds' : 'hold'} it
        {until !== null && (
          <>
            , until <ExactTime at={until} />
          </>
        )}
        :
      </p>
      <ul>
        {files.map(({ file }) => (
          <li key={file}>
            <Mono>{file}</Mono>
          </li>
        ))}
      </ul>
    </div>
  );
}
