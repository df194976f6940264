import { IconDownload, IconTool } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { RepairInput } from '../../api/repairs';
import { Dialog } from '../../components/dialog';
import { GuardedButton } from '../../components/guarded-button';

const RepairSteps = lazy(async () => ({ default: (await import('./repair-steps')).RepairSteps }));

interface RepairButtonProps {
  input: RepairInput;
  /** Names what is repaired, for the label that is read out. */
  subject?: string;
}

/** Compares the deals at Co-Pilot with what is known of them; a dialog shows each step. */
export function RepairButton({ input, subject }: RepairButtonProps) {
  const [opened, setOpened] = useState(false);
  const isBaseline = input.purpose === 'baseline';
  const Icon = isBaseline ? IconDownload : IconTool;
  const close = () => setOpened(false);
  return (
    <>
      <GuardedButton
        leftSection={<Icon size={14} aria-hidden />}
        {...(subject !== undefined && { 'aria-label': `Repair: ${subject}` })}
        onClick={() => setOpened(true)}
      >
        {isBaseline ? 'Import all deals' : 'Repair…'}
      </GuardedButton>
      <Dialog title={isBaseline ? 'Import all deals' : 'Repair'} size="lg" opened={opened} close={close}>
        <Suspense>
          <RepairSteps input={input} close={close} />
        </Suspense>
      </Dialog>
    </>
  );
}
