import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { EmptyNote } from './empty-note';
import { useDenial, type NeededScope } from './use-denial';

/** A part of a screen that is replaced by a note if the user’s role does not permit it. */
export function GuardedPart({ needs, children }: { needs: NeededScope; children: ReactNode }) {
  const denial = useDenial(needs);
  if (denial === null) return children;
  return (
    <EmptyNote title="Not available for your role" icon={<IconLock size={22} stroke={1.6} />}>
      <p>{denial}</p>
    </EmptyNote>
  );
}
