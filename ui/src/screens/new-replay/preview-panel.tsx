import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReplayPreview } from '@contract/replay';
import { ErrorNote } from '../../components/error-note';
import { Fact, Facts } from '../../components/facts';
import { LoadingRows } from '../../components/loading-rows';
import { Mono } from '../../components/mono';
import { Panel } from '../../components/panel';
import { ExactTime } from '../../components/time-ago';
import { useTargetNames } from '../../features/targets/use-target-names';
import { useTargets } from '../../features/targets/use-targets';
import { formatTwoUnits } from '../../format/duration';
import { formatCount, formatNoun } from '../../format/number';
import { isHeld } from '../../labels/prospect-labels';
import classes from './preview-panel.module.css';

interface PreviewPanelProps {
  preview: UseQueryResult<ReplayPreview>;
  /** Why there is no preview. */
  planError: string | undefined;
  /** Whether each event is sent to its original targets. */
  toOriginals: boolean;
  /** Whether only some events are selected. */
  isFiltered: boolean;
}

/** What the plan would send. */
export function PreviewPanel({
  preview: { data, error, refetch, isFetching },
  planError,
  toOriginals,
  isFiltered,
}: PreviewPanelProps) {
  return (
    <Panel
      title="Preview"
      aside={data?.estimated === true && <span className={classes.estimated}>estimated</span>}
    >
      {planError !== undefined && <p className={classes.muted}>{planError}</p>}
      {planError === undefined && error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {planError === undefined && error === null && data === undefined && <LoadingRows count={4} />}
      {planError === undefined && error === null && data !== undefined && (
        <div className={classes.preview} aria-busy={isFetching || undefined}>
          <Count preview={data} toOriginals={toOriginals} isFiltered={isFiltered} />
          {data.disabled_targets.length > 0 && <DisabledTargets preview={data} />}
          {data.events > 0 && <Breakdown preview={data} />}
        </div>
      )}
    </Panel>
  );
}

interface CountProps extends Pick<PreviewPanelProps, 'toOriginals' | 'isFiltered'> {
  preview: ReplayPreview;
}

function Count({ preview, toOriginals, isFiltered }: CountProps) {
  const { events, deliveries, estimated, disabled_targets: disabled } = preview;
  return (
    <div aria-live="polite">
      <p className={classes.count}>
        {estimated && 'about '}
        {formatNoun(events, 'event')}
      </p>
      <p className={classes.muted}>
        {events === 0
          ? describeNone(toOriginals, isFiltered, disabled.length > 0)
          : `${estimated ? 'about ' : ''}${formatNoun(deliveries, 'delivery', 'deliveries')}.`}
        {estimated && ' Estimated from a sample.'}
      </p>
    </div>
  );
}

/** Why no event would be sent. */
function describeNone(toOriginals: boolean, isFiltered: boolean, isOneDisabled: boolean): string {
  if (isOneDisabled) return 'No matching event went to an enabled target.';
  if (!isFiltered)
    return toOriginals
      ? 'No stored event was sent to a target. Select targets in “Destination and speed”.'
      : 'No events are stored.';
  return toOriginals
    ? 'No event that was sent to a target matches. Widen the filter, or select targets in “Destination and speed”.'
    : 'No stored event matches. Widen the filter.';
}

/** What the replay leaves out, since the targets of the live deliveries are disabled. */
function DisabledTargets({ preview: { disabled_targets: disabled } }: { preview: ReplayPreview }) {
  const nameOf = useTargetNames();
  return (
    <ul className={classes.disabled}>
      {disabled.map(({ target_id: id, deliveries }) => (
        <li key={id}>
          {formatNoun(deliveries, 'delivery', 'deliveries')} left out:{' '}
          <Link to="/targets/$id" params={{ id }}>
            {nameOf(id)}
          </Link>{' '}
          is disabled.
        </li>
      ))}
    </ul>
  );
}

function Breakdown({ preview }: { preview: ReplayPreview }) {
  const nameOf = useTargetNames();
  const { data: targets = [] } = useTargets();
  const { oldest_at: oldest, newest_at: newest, duration_s: duration, estimated } = preview;
  const held = targets.filter(
    (target) => isHeld(target) && preview.by_target.some(({ target_id: id }) => id === target.id),
  );
  return (
    <>
      <Facts>
        <Fact name="Oldest">{oldest === null ? null : <ExactTime at={oldest} />}</Fact>
        <Fact name="Newest">{newest === null ? null : <ExactTime at={newest} />}</Fact>
        <Fact name="Duration">
          {duration === null
            ? 'depends on how fast targets respond'
            : `${estimated ? 'about' : 'at least'} ${formatTwoUnits(duration)}`}
          {held.length > 0 && `; nothing goes to ${held.map(({ name }) => name).join(', ')} at present`}
        </Fact>
      </Facts>
      <Table
        caption="By event type"
        rows={preview.by_type.map(({ type, events }) => ({
          name: <Mono>{type}</Mono>,
          id: type,
          count: events,
        }))}
      />
      <Table
        caption="By target"
        rows={preview.by_target.map(({ target_id: id, deliveries }) => ({
          name: nameOf(id),
          id,
          count: deliveries,
        }))}
      />
    </>
  );
}

interface TableProps {
  caption: string;
  rows: { id: string; name: React.ReactNode; count: number }[];
}

function Table({ caption, rows }: TableProps) {
  return (
    <table className={classes.table}>
      <caption>{caption}</caption>
      <tbody>
        {rows
          .toSorted((one, other) => other.count - one.count)
          .map(({ id, name, count }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td>{formatCount(count)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
