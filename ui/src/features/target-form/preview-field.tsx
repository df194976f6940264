import { useDebouncedValue } from '@mantine/hooks';
import { IconSend } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { FilterPreview } from '@contract/filter';
import { filterPreviewQuery, testAddress } from '../../api/targets';
import { formatCount } from '../../format/number';
import { ActionButton } from '../../components/action-button';
import { TestResult } from '../targets/test-result';
import { Mono } from '../../components/mono';
import { TimeAgo } from '../../components/time-ago';
import { DisclosureChevron } from '../../components/disclosure-chevron';
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
  // What is shown belongs to the conditions before the last change.
  const isOld = isPlaceholderData || debounced !== current;
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
              </li>
            ))}
          </ul>
        </details>
      )}
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

function describePreview({ checked, matched }: FilterPreview): string {
  if (checked === 0) return 'No stored events to preview yet.';
  if (checked === 1) return `The one stored event would ${matched === 1 ? '' : 'not '}match.`;
  const looked = `Of the last ${formatCount(checked)} stored events,`;
  if (matched === 0 || matched === checked) return `${looked} ${matched === 0 ? 'none' : 'all'} would match.`;
  return `${looked} ${formatCount(matched)} would match, ${formatCount(checked - matched)} would not.`;
}
