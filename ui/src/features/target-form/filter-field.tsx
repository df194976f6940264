import { Button, Tabs, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/api-error';
import { filterPreviewQuery, payloadFieldsQuery } from '../../api/targets';
import stack from '../../components/stack.module.css';
import { formatJson } from '../../format/json';
import fields from './fields.module.css';
import type { FormPart } from './form-part';
import { parseFilterField } from './target-draft';
import { FilterBuilder } from './filter-builder/filter-builder';
import { toFilter, toGroup, type GroupDraft } from './filter-builder/filter-draft';

const DEBOUNCE_MS = 400;

const EXAMPLES = [
  { name: 'Specific statuses', filter: { 'data.status_id': { $in: [2, 3] } } },
  { name: 'Name starts with…', filter: { 'data.name': { $startsWith: 'VIP' } } },
  {
    name: 'Either condition',
    filter: { $or: [{ 'data.pipeline_id': 1 }, { 'data.status_id': { $gte: 4 } }] },
  },
];

/** The payload filter of a target, as conditions or as JSON, which are kept in step. */
export function FilterField(part: FormPart) {
  const { draft, errorOf } = part;
  const hasError = errorOf('filter') !== undefined;
  const [tab, setTab] = useState<string | null>('builder');
  // An error is shown beside the JSON.
  if (hasError && part.saveAttempts > 0 && tab !== 'json') setTab('json');
  return (
    <Tabs value={tab} onChange={setTab} keepMounted={false}>
      <Tabs.List aria-label="Filter by content">
        <Tabs.Tab value="builder">Conditions</Tabs.Tab>
        <Tabs.Tab value="json">JSON</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="builder" pt="md" className={stack.small}>
        <Conditions
          filter={draft.filter}
          events={draft.events}
          change={(filter) => part.change({ filter })}
        />
      </Tabs.Panel>
      <Tabs.Panel value="json" pt="md" className={stack.small}>
        <JsonField {...part} />
      </Tabs.Panel>
    </Tabs>
  );
}

interface ConditionsProps {
  /** As JSON. */
  filter: string;
  events: string[];
  change: (filter: string) => void;
}

const EMPTY_GROUP: GroupDraft = { kind: 'group', match: 'all', items: [] };

function readGroup(filter: string): GroupDraft | null {
  const parsed = parseFilterField(filter);
  if ('error' in parsed) return null;
  return parsed.filter === null ? EMPTY_GROUP : toGroup(parsed.filter);
}

/** The filter as rows. They are read anew when the JSON is changed elsewhere. */
function Conditions({ filter, events, change }: ConditionsProps) {
  const { data: known } = useQuery({ ...payloadFieldsQuery(events), enabled: events.length > 0 });
  const [group, setGroup] = useState(() => readGroup(filter));
  const [written, setWritten] = useState(filter);
  if (filter !== written) {
    setWritten(filter);
    setGroup(readGroup(filter));
  }
  if (group === null) return <p className={fields.muted}>This filter can only be edited as JSON.</p>;
  const update = (next: GroupDraft) => {
    const wanted = toFilter(next);
    const text = wanted === null ? '' : formatJson(wanted);
    setGroup(next);
    setWritten(text);
    change(text);
  };
  return (
    <>
      {group.items.length === 0 && <p className={fields.muted}>No conditions: all events of these types.</p>}
      <FilterBuilder group={group} known={known} change={update} />
    </>
  );
}

/** The filter as JSON, validated while typing. */
function JsonField({ draft: { filter, events }, change, errorOf }: FormPart) {
  const [typed] = useDebouncedValue(filter, DEBOUNCE_MS);
  const parsed = parseFilterField(typed);
  const { error } = useQuery({
    ...filterPreviewQuery(events, 'filter' in parsed ? parsed.filter : null),
    enabled: 'filter' in parsed && parsed.filter !== null && events.length > 0,
  });
  const serverErrors = error instanceof ApiError ? error.fields.filter(({ path }) => isFilterPath(path)) : [];
  const errors =
    'error' in parsed ? (
      parsed.error
    ) : serverErrors.length > 0 ? (
      <FilterErrors errors={serverErrors} />
    ) : null;
  return (
    <>
      <Textarea
        label="Filter"
        description="JSON filter on payload fields. All conditions must match; types are compared strictly. Leave empty for no filter."
        placeholder={'{ "data.status_id": { "$in": [2, 3] } }'}
        value={filter}
        error={errors ?? errorOf('filter')}
        rows={Math.min(14, Math.max(4, filter.split('\n').length + 1))}
        classNames={{ input: fields.mono }}
        spellCheck={false}
        autoComplete="off"
        onChange={({ currentTarget }) => change({ filter: currentTarget.value })}
      />
      <div className={fields.row}>
        <span className={fields.muted}>Examples:</span>
        {EXAMPLES.map((example) => (
          <Button
            key={example.name}
            variant="subtle"
            onClick={() => change({ filter: formatJson(example.filter) })}
          >
            {example.name}
          </Button>
        ))}
      </div>
      <p className={fields.muted}>
        Operators: <code>$eq $ne $in $nin $gt $gte $lt $lte $exists $not $startsWith $contains</code>, and{' '}
        <code>$and</code> and <code>$or</code> combine lists of filters. <code>$became $was $changed</code>{' '}
        compare with the state before. <code>data.tags.name</code> matches any element of an array.
      </p>
    </>
  );
}

const isFilterPath = (path: string) => path === 'filter' || path.startsWith('filter.');

function FilterErrors({ errors }: { errors: { path: string; message: string }[] }) {
  return (
    <span className={fields.errors}>
      {errors.map(({ path, message }) => (
        <span key={`${path} ${message}`}>
          {path === 'filter' ? (
            'The filter'
          ) : (
            <>
              At <code>{path.slice('filter.'.length)}</code>
            </>
          )}
          : {message}
        </span>
      ))}
    </span>
  );
}
