import { Checkbox } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { DeadLetterCause } from '@contract/dead-letter';
import type { Delivery } from '@contract/delivery';
import { deadLettersQuery, type DeadLetterFilter } from '../../api/dead-letters';
import { GuardedButton } from '../../components/guarded-button';
import { ActionButton } from '../../components/action-button';
import { PagedList } from '../../components/paged-list';
import { TimeAgo } from '../../components/time-ago';
import { formatCount, formatNoun } from '../../format/number';
import { localizeTimes } from '../../format/exact';
import classes from './dead-letter-list.module.css';
import type { DeadLetterActions } from './use-dead-letter-actions';
import { useGoneTargets, whyNoRetry } from './use-gone-targets';

interface DeadLetterListProps {
  filter: DeadLetterFilter;
  cause: DeadLetterCause;
  actions: DeadLetterActions;
}

/** The dead letters of a group, with their actions. */
export function DeadLetterList({ filter, cause, actions }: DeadLetterListProps) {
  const query = useInfiniteQuery(deadLettersQuery(filter));
  return (
    <div className={classes.list}>
      <PagedList query={query} skeletonRows={3}>
        {(letters) => (
          <DeadLetters
            letters={letters.filter((letter) => cause.error !== null || letter.attempt_count === 0)}
            total={cause.deliveries}
            actions={actions}
          />
        )}
      </PagedList>
    </div>
  );
}

interface DeadLettersProps {
  letters: Delivery[];
  /** Of the group; not all of them may have been loaded. */
  total: number;
  actions: DeadLetterActions;
}

function DeadLetters({ letters, total, actions }: DeadLettersProps) {
  const selectedCount = letters.filter(({ id }) => actions.selected.has(id)).length;
  return (
    <>
      {letters.length > 1 && (
        <div className={classes.all}>
          <Checkbox
            size="xs"
            label={`Select ${letters.length < total ? 'the newest' : 'all'} ${formatCount(letters.length)}`}
            checked={selectedCount === letters.length}
            indeterminate={selectedCount > 0 && selectedCount < letters.length}
            onChange={({ currentTarget }) => actions.selectAll(letters, currentTarget.checked)}
          />
        </div>
      )}
      <ul>
        {letters.map((letter) => (
          <DeadLetterRow key={letter.id} letter={letter} actions={actions} />
        ))}
      </ul>
    </>
  );
}

/** What the group says already is left out: `HTTP 422 after 1 attempt.` becomes `1 attempt`. */
function withoutCause(note: string, { attempt_count: count }: Delivery): string {
  return / after \d+ attempts?\.$/.test(note) ? formatNoun(count, 'attempt') : localizeTimes(note);
}

function DeadLetterRow({ letter, actions }: { letter: Delivery; actions: DeadLetterActions }) {
  const {
    id,
    event_id: event,
    event_type: type,
    entity,
    entity_name: entityName,
    target_name: target,
  } = letter;
  const name = `${type}${entity === null ? '' : ` of ${entity}`} for ${target}`;
  const { retryOne } = actions;
  const isGone = useGoneTargets().has(letter.target_id);
  return (
    <li className={classes.row}>
      <Checkbox
        size="xs"
        aria-label={`Select ${name}`}
        checked={actions.selected.has(id)}
        onChange={({ currentTarget }) => actions.select(letter, currentTarget.checked)}
      />
      <div className={classes.event}>
        <Link to="/events/$id" params={{ id: event }} className={classes.type} data-row>
          {type}
        </Link>
        {entity !== null && (
          <span className={classes.entity}>
            {entityName !== null && <span className={classes.name}>{entityName} </span>}
            {entity}
          </span>
        )}
      </div>
      <span className={classes.note}>
        {letter.note !== null && withoutCause(letter.note, letter)}
        {letter.edited && ' Sent with an edited payload.'}
        {letter.blocks_lane && ' Later deliveries in its lane are blocked.'}
      </span>
      <TimeAgo at={letter.finished_at ?? letter.created_at} className={classes.when} />
      <div className={classes.actions}>
        <GuardedButton
          color="red"
          variant="subtle"
          aria-label={`Discard ${name}`}
          onClick={() =>
            actions.askToDiscard({
              count: 1,
              single: letter,
              selection: { ids: [id] },
              blockedLanes: letter.blocks_lane ? 1 : 0,
            })
          }
        >
          Discard
        </GuardedButton>
        <ActionButton
          pending={retryOne.isPending && retryOne.variables.id === id}
          because={isGone && whyNoRetry(target)}
          aria-label={`Retry ${name}`}
          action={() => retryOne.mutate(letter)}
        >
          Retry
        </ActionButton>
      </div>
    </li>
  );
}
