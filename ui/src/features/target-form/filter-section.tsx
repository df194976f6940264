import { Button, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error';
import { filterPreviewQuery, type TargetInput } from '../../api/targets';
import { formatJson } from '../../format/json';
import fields from './fields.module.css';
import type { FormPart } from './form-part';
import { parseFilterField } from './target-draft';
import { formatNoun } from '../../format/number';
import { FormSection } from './form-section';

/** The section of the payload filter. */
export function FilterSection({ part, input }: { part: FormPart; input: TargetInput }) {
  const { draft, errorOf } = part;
  const conditions = Object.keys(input.filter ?? {}).length;
  return (
    <FormSection
      saveAttempts={part.saveAttempts}
      title="Filter by content"
      value={
        draft.filter.trim() === '' ? 'None: all events of these types' : formatNoun(conditions, 'condition')
      }
      isChanged={draft.filter.trim() !== ''}
      hasError={errorOf('filter') !== undefined}
    >
      <FilterField {...part} />
    </FormSection>
  );
}

const DEBOUNCE_MS = 400;

const EXAMPLES = [
  { name: 'Specific statuses', filter: { 'data.status_id': { $in: [2, 3] } } },
  { name: 'Name starts with…', filter: { 'data.name': { $startsWith: 'VIP' } } },
  {
    name: 'Either condition',
    filter: { $or: [{ 'data.pipeline_id': 1 }, { 'data.status_id': { $gte: 4 } }] },
  },
];

/** The payload filter of a target, validated while typing. */
function FilterField({ draft: { filter, events }, change, errorOf }: FormPart) {
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
        <code>$and</code> and <code>$or</code> combine lists of filters. <code>data.tags.name</code> matches
        any element of an array.
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
