import classes from './text-block.module.css';

interface TextBlockProps {
  children: string;
  /** For screen readers. */
  label?: string;
  /** Whether a long text scrolls instead of moving what is below it away. */
  scrolls?: boolean;
}

/** Code, or any other text whose line breaks count. */
export function TextBlock({ children, label, scrolls = false }: TextBlockProps) {
  return (
    <pre
      className={classes.block}
      aria-label={label}
      // Keyboards scroll what has the focus.
      {...(scrolls && { 'data-scrolls': true, tabIndex: 0 })}
    >
      {children}
    </pre>
  );
}
