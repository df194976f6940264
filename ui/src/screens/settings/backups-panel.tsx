import { useQuery } from '@tanstack/react-query';
import type { Backups } from '@contract/backup';
import { backupsQuery } from '../../api/backups';
import { Fact, Facts } from '../../components/facts';
import { Mono } from '../../components/mono';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { TimeAgo, TimeLeft } from '../../components/time-ago';
import { formatBytes, formatNoun } from '../../format/number';

/** The latest backup, and when the next one is made. */
export function BackupsPanel() {
  const query = useQuery(backupsQuery);
  const { data } = query;
  return (
    <Panel title="Backups">
      {data !== undefined && <BackupFacts {...data} />}
      <PendingData query={query} rows={3} />
    </Panel>
  );
}

function BackupFacts({ run, latest, schedule }: Backups) {
  const isRunning = run !== null && run.ended_at === null;
  return (
    <Facts>
      <Fact name="Latest" none="none yet">
        {latest === null ? null : (
          <>
            <TimeAgo at={latest.at} />, {formatBytes(latest.bytes)}
            {latest.findings > 0 &&
              `, with ${formatNoun(latest.findings, 'inconsistency', 'inconsistencies')}`}
          </>
        )}
      </Fact>
      {latest !== null && (
        <Fact name="File">
          <Mono>{latest.file}</Mono>
        </Fact>
      )}
      {isRunning && (
        <Fact name="In progress">
          {run.state === 'copying' ? `copying, ${Math.floor(run.progress * 100)} %` : 'verifying'}
        </Fact>
      )}
      {run?.error && <Fact name="Last attempt">failed: {run.error.detail}</Fact>}
      <Fact name="Schedule">
        {schedule === null ? (
          <>
            none; set <Mono>SWITCHBOARD_BACKUP_DIR</Mono>
          </>
        ) : (
          <>
            daily into <Mono>{schedule.folder}</Mono>, {formatNoun(schedule.keep, 'file')} kept
          </>
        )}
      </Fact>
      {schedule !== null && (
        <Fact name="Next">
          <TimeLeft at={schedule.next_at} />
        </Fact>
      )}
    </Facts>
  );
}
