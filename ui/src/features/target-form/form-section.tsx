import { IconChevronRight } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import classes from './form-section.module.css';

interface FormSectionProps {
  title: string;
  /** What is set in it, in words. */
  value: string;
  /** Whether that is other than usual. */
  set: boolean;
  /** Something in it is wrong: it unfolds, and says so. */
  wrong: boolean;
  /** How often somebody wanted to save: what was folded again unfolds again. */
  attempts: number;
  children: ReactNode;
}

/** A part of the form that unfolds; folded, its heading tells what is set. */
export function FormSection({ title, value, set, wrong, attempts, children }: FormSectionProps) {
  const [open, setOpen] = useState(wrong);
  const [seen, setSeen] = useState({ wrong, attempts });
  if (wrong !== seen.wrong || attempts !== seen.attempts) {
    setSeen({ wrong, attempts });
    if (wrong) setOpen(true);
  }
  return (
    <div className={classes.section}>
      <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className={classes.summary}>
          <IconChevronRight size={14} aria-hidden className={classes.chevron} />
          <span className={classes.title}>{title}</span>
          <span className={classes.value} data-set={set || undefined} data-wrong={wrong || undefined}>
            {wrong ? 'Fix the error below' : value}
          </span>
        </summary>
        <div className={classes.inside}>{children}</div>
      </details>
    </div>
  );
}
