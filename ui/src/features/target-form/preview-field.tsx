import { useDebouncedValue } from '@mantine/hooks';
import { IconSend } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Filter, FilterPreview } from '@contract/filter';
import { filterPreviewQuery, testAddress } from '../../api/targets';
import { formatCount } from '../../format/number';
import { ActionButton } from '../../components/action-button';
import { TestResult } from '../targets/test-result';
import { Mono } from '../../components/mono';
import { TimeAgo } from '../../components/time-ago';
import { DisclosureChevron } from '../../components/disclosure-chevron';
import { parseJson } from '../../payload/parse-json';
import { writtenChanges } from '../../payload/written-changes';
import { Changes } from '../entity-history/changes';
import classes from './preview-field.module.css';
import { parseDraft, parseFilterField, toAddressTest, type TargetDraft } from './target-draft';

const DEBOUNCE_MS = 400;

interface PreviewFieldProps {
  draft: TargetDraft;
  /** The id of an existing target. */
  target: string | undefined;
}

/** Which of the newest stored events match the current types and filter. */
export function PreviewField({ draft, target }: PreviewFieldProps) {
  const { events, filter } = draft;
  const current = useMemo(() => ({ events, filter }), [events, filter]);
  const [debounced] = useDebouncedValue(current, DEBOUNCE_MS);
  const parsed = parseFilterField(debounced.filter);
  const isValid = 'filter' in parsed && debounced.events.length > 0;
  const { data, error, isPlaceholderData } = useQuery({
    ...filterPreviewQuery(debounced.events, 'filter' in parsed ? parsed.filter : null),
    enabled: isValid,
  });
  const sentence =
    !isValid || error !== null
      ? 'Matching events appear here once the event types and filter are valid.'
      : data === undefined
        ? 'Checking stored events…'
        : describePreview(data);
  const shown = isValid && error === null ? (data?.data ?? []) : [];
  const paths = 'filter' in parsed ? pathsIn(parsed.filter) : [];
  // What is shown belongs to the conditions before the last change.
  const isOld = (isValid && isPlaceholderData) || debounced !== current;
  return (
    <div className={classes.preview} aria-busy={isOld || undefined}>
      <p aria-live="polite">{sentence}</p>
      {shown[0] !== undefined && (
        <TestWithMatch draft={draft} target={target} event={shown[0].id} isOld={isOld} />
      )}
      {shown.length > 0 && (
        <details>
          <summary>
            <DisclosureChevron /> {shown.length === 1 ? 'Show event' : `Show the newest ${shown.length}`}
          </summary>
          <ul className={classes.list} aria-label="Matching events">
            {shown.map((event) => (
              <li key={event.id} className={classes.event}>
                <Link to="/events/$id" params={{ id: event.id }} target="_blank" rel="noreferrer">
                  <Mono>{event.type}</Mono>
                </Link>
                <span className={classes.muted}>{event.entity ?? '–'}</span>
                <span>{event.name}</span>
                <TimeAgo at={event.received_at} className={classes.muted} />
                <ChangesAt paths={paths} changes={event.changes} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** The paths of a filter, without those of its operators. */
const pathsIn = (filter: Filter | null): string[] =>
  Object.entries(filter ?? {}).flatMap(([key, value]) =>
    key.startsWith('$') ? [value].flat().flatMap((part) => pathsIn(part as Filter)) : [key],
  );

interface ChangesAtProps {
  paths: readonly string[];
  changes: FilterPreview['data'][number]['changes'];
}

/** What an event changed at the paths of the filter, if that compares with the state before. */
function ChangesAt({ paths, changes }: ChangesAtProps) {
  const shown = changes.filter(({ path }) =>
    paths.some((wanted) => `${path}.`.startsWith(`${wanted}.`) || `${wanted}.`.startsWith(`${path}.`)),
  );
  if (shown.length === 0) return null;
  return (
    <div className={classes.changes}>
      <Changes data={writtenChanges(parseJson(JSON.stringify(shown)) ?? undefined)} outsideData={[]} />
    </div>
  );
}

/** Sends the payload of the newest match to the address of the form. */
function TestWithMatch({
  draft,
  target,
  event,
  isOld,
}: PreviewFieldProps & { event: string; isOld: boolean }) {
  const test = useMutation({
    mutationFn: () => testAddress({ ...toAddressTest(parseDraft(draft).input, target), event_id: event }),
  });
  return (
    <>
      <ActionButton
        leftSection={<IconSend size={14} aria-hidden />}
        pending={test.isPending}
        disabled={isOld}
        because={draft.url.trim() === '' && 'Enter the address first.'}
        title="Sends its payload to the address above; the target need not be saved"
        action={() => test.mutate()}
      >
        Send the newest match as a test
      </ActionButton>
      <TestResult test={test} />
    </>
  );
}

function describePreview(preview: FilterPreview): string {
  const { unknown } = preview;
  if (unknown === 0) return describeMatches(preview);
  return `${describeMatches(preview)} ${formatCount(unknown)} only because the state before is not known.`;
}

function describeMatches({ checked, matched }: FilterPreview): string {
  if (checked === 0) return 'No stored events to preview yet.';
  if (checked === 1) return `The one stored event would ${matched === 1 ? '' : 'not '}match.`;
  const looked = `Of the last ${formatCount(checked)} stored events,`;
  if (matched === 0 || matched === checked) return `${looked} ${matched === 0 ? 'none' : 'all'} would match.`;
  return `${looked} ${formatCount(matched)} would match, ${formatCount(checked - matched)} would not.`;
}
