import { Button, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error';
import { filterPreviewQuery } from '../../api/targets';
import { formatJson } from '../../format/json';
import fields from './fields.module.css';
import classes from './filter-field.module.css';
import type { FormPart } from './form-part';
import { parseFilterField } from './target-draft';

const DEBOUNCE_MS = 400;

const EXAMPLES = [
  { name: 'Specific statuses', filter: { 'data.status_id': { $in: [2, 3] } } },
  { name: 'Name starts with…', filter: { 'data.name': { $startsWith: 'VIP' } } },
  {
    name: 'Either condition',
    filter: { $or: [{ 'data.pipeline_id': 1 }, { 'data.status_id': { $gte: 4 } }] },
  },
];

/** Narrows what a target takes by the content of events; what is wrong is told as it is typed. */
export function FilterField({ draft: { filter, events }, change, errorOf }: FormPart) {
  const [typed] = useDebouncedValue(filter, DEBOUNCE_MS);
  const reading = parseFilterField(typed);
  const { error } = useQuery({
    ...filterPreviewQuery(events, 'filter' in reading ? reading.filter : null),
    enabled: 'filter' in reading && reading.filter !== null && events.length > 0,
  });
  const serverErrors = error instanceof ApiError ? error.fields.filter(({ path }) => isOfFilter(path)) : [];
  const errors =
    'error' in reading ? (
      reading.error
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
        <code>$and</code> and <code>$or</code> combine lists of filters. <code>data.tags.name</code> matches
        any element of an array.
      </p>
    </>
  );
}

const isOfFilter = (path: string) => path === 'filter' || path.startsWith('filter.');

function FilterErrors({ errors }: { errors: { path: string; message: string }[] }) {
  return (
    <span className={classes.faults}>
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
