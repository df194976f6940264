import { formatNoun } from '../../format/number';
import type { TargetInput } from '../../api/targets';
import { FilterField } from './filter-field';
import type { FormPart } from './form-part';
import { FormSection } from './form-section';

/** What of the chosen types is taken, by content. */
export function FilterSection({ part, input }: { part: FormPart; input: TargetInput }) {
  const { draft, errorOf } = part;
  const conditions = Object.keys(input.filter ?? {}).length;
  return (
    <FormSection
      attempts={part.attempts}
      title="Filter by content"
      value={
        draft.filter.trim() === '' ? 'None: all events of these types' : formatNoun(conditions, 'condition')
      }
      set={draft.filter.trim() !== ''}
      wrong={errorOf('filter') !== undefined}
    >
      <FilterField {...part} />
    </FormSection>
  );
}
