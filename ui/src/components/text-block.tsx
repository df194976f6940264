import classes from './text-block.module.css';

interface TextBlockProps {
  children: string;
  /** For screen readers. */
  label?: string;
}

/** Code, or any other text whose line breaks count. */
export function TextBlock({ children, label }: TextBlockProps) {
  return (
    <pre className={classes.block} aria-label={label}>
      {children}
    </pre>
  );
}
