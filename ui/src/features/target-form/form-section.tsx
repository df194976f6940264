import { useState, type ReactNode } from 'react';
import { DisclosureChevron } from '../../components/disclosure-chevron';
import classes from './form-section.module.css';

export interface FormSectionProps {
  title: string;
  /** Summary of the settings. */
  value: string;
  /** Whether a setting differs from the default. */
  isChanged: boolean;
  /** Expands the section once it is true. */
  hasError: boolean;
  children: ReactNode;
}

/** A collapsible section of the form; its heading summarizes the settings. */
export function FormSection({ title, value, isChanged, hasError, children }: FormSectionProps) {
  const [open, setOpen] = useState(hasError);
  const [hadError, setHadError] = useState(hasError);
  if (hasError !== hadError) {
    setHadError(hasError);
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
