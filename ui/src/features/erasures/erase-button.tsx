import { IconEraser } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { erasureQuery, forgetErased, type ErasureSubject } from '../../api/erasures';
import { Dialog } from '../../components/dialog';
import { GuardedButton } from '../../components/guarded-button';
import { EraseForm } from './erase-form';
import { ErasureProgress } from './erasure-progress';

interface EraseButtonProps {
  subject: ErasureSubject;
  /** Why it cannot be erased. */
  because?: string | false;
  className?: string;
}

/** Erases an event or an entity: asks in a dialog, then shows the progress there. */
export function EraseButton({ subject, because, className }: EraseButtonProps) {
  const cache = useQueryClient();
  const [opened, setOpened] = useState(false);
  const [started, setStarted] = useState<string | null>(null);
  const progress = useQuery({ ...erasureQuery(started ?? ''), enabled: started !== null });
  const isErased = (progress.data?.erased_at ?? null) !== null;
  useEffect(() => {
    if (isErased) void forgetErased(cache);
  }, [cache, isErased]);
  const close = () => setOpened(false);
  const question = 'entity' in subject ? `Erase all events of ${subject.entity}?` : 'Erase this event?';
  return (
    <>
      <GuardedButton
        needs="admin"
        color="red"
        className={className}
        because={because}
        leftSection={<IconEraser size={14} aria-hidden />}
        onClick={() => setOpened(true)}
      >
        Erase…
      </GuardedButton>
      <Dialog
        title={started === null ? question : 'Erasure'}
        opened={opened}
        close={close}
        size={'entity' in subject ? 'lg' : undefined}
        onClosed={() => {
          if (isErased) setStarted(null);
        }}
      >
        {started === null ? (
          <EraseForm subject={subject} close={close} onStarted={setStarted} />
        ) : (
          <ErasureProgress query={progress} close={close} />
        )}
      </Dialog>
    </>
  );
}
