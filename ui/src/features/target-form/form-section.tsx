import { useState, type ReactNode } from 'react';
import { DisclosureChevron } from '../../components/disclosure-chevron';
import classes from './form-section.module.css';

interface FormSectionProps {
  title: string;
  /** Summary of the settings. */
  value: string;
  /** Whether a setting differs from the default. */
  isChanged: boolean;
  /** Expands the section. */
  hasError: boolean;
  /** How often the user tried to save; each attempt expands sections with errors. */
  saveAttempts: number;
  children: ReactNode;
}

/** A collapsible section of the form; its heading summarizes the settings. */
export function FormSection({ title, value, isChanged, hasError, saveAttempts, children }: FormSectionProps) {
  const [open, setOpen] = useState(hasError);
  const [previous, setPrevious] = useState({ hasError, saveAttempts });
  if (hasError !== previous.hasError || saveAttempts !== previous.saveAttempts) {
    setPrevious({ hasError, saveAttempts });
    if (hasError) setOpen(true);
  }
  return (
    <div className={classes.section}>
      <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className={classes.summary}>
          <DisclosureChevron />
          <span className={classes.title}>{title}</span>
          <span
            className={classes.value}
            data-changed={isChanged || undefined}
            data-error={hasError || undefined}
          >
            {hasError ? 'Fix the error below' : value}
          </span>
        </summary>
        <div className={classes.inside}>{children}</div>
      </details>
    </div>
  );
}
