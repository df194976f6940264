import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ErasurePreview } from '@contract/erasure';
import type { Filter } from '@contract/filter';
import { payloadFieldsQuery } from '../../api/targets';
import { formatNoun } from '../../format/number';
import { FilterBuilder } from '../target-form/filter-builder/filter-builder';
import { toFilter, type GroupDraft } from '../target-form/filter-builder/filter-draft';

interface MentionFieldProps {
  /** What the conditions find; null without any. */
  mentioned: ErasurePreview['mentioned'];
  change: (filter: Filter | null) => void;
}

const ANY_TYPE = ['*'];

/** Chooses events of other entities by their payload, and shows the newest of them. */
export function MentionField({ mentioned, change }: MentionFieldProps) {
  const [group, setGroup] = useState<GroupDraft>({ kind: 'group', match: 'all', items: [] });
  const { data: known } = useQuery(payloadFieldsQuery(ANY_TYPE));
  return (
    <>
      <strong>Also events of other entities that mention it</strong>
      <FilterBuilder
        group={group}
        known={known}
        change={(next) => {
          setGroup(next);
          change(toFilter(next));
        }}
      />
      {mentioned !== null && (
        <div aria-live="polite">
          <p>
            {mentioned.estimated && 'About '}
            {formatNoun(mentioned.events, 'event')} found
            {mentioned.events > mentioned.samples.length && ', the newest of them'}
            {mentioned.events > 0 && ':'}
          </p>
          <ul>
            {mentioned.samples.map(({ id, type, entity, name }) => (
              <li key={id}>
                <Link to="/events/$id" params={{ id }} target="_blank">
                  {type} {entity}
                </Link>{' '}
                {name}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
