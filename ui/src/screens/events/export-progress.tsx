import { Button } from '@mantine/core';
import { ErrorNote } from '../../components/error-note';
import { ProgressBar } from '../../components/progress-bar';
import { formatBytes, formatCount, formatNoun } from '../../format/number';
import classes from './export-progress.module.css';
import type { EventExport } from './use-export';

/** The progress and outcome of an export. */
export function ExportProgress({ dataExport }: { dataExport: EventExport }) {
  const { status, progress, error, cancelled, cancel, dismiss } = dataExport;
  if (status === 'idle') return null;
  if (status === 'error' && !cancelled)
    return (
      <div className={classes.place}>
        <ErrorNote error={error} remedy="No file was saved. Start the export again." />
        <Button onClick={dismiss}>Close</Button>
      </div>
    );
  const { events = 0, total = 0, estimated = false, bytes = 0 } = progress ?? {};
  const running = status === 'pending';
  return (
    <div className={classes.place}>
      <output>
        {running && progress === null && 'Counting matching events…'}
        {running && progress !== null && 'Exporting'}
        {cancelled && !running && 'Export cancelled. No file was saved.'}
        {status === 'success' && `${formatNoun(events, 'event')} exported, ${formatBytes(bytes)}.`}
      </output>
      {running && (
        <>
          <ProgressBar label="Export" done={events} total={Math.max(1, total)} />
          <span className={classes.count}>
            {progress !== null &&
              `${formatCount(events)} of ${estimated ? 'about ' : ''}${formatCount(Math.max(total, events))}, ${formatBytes(bytes)}`}
          </span>
        </>
      )}
      <Button onClick={running ? cancel : dismiss}>{running ? 'Cancel' : 'Close'}</Button>
    </div>
  );
}
