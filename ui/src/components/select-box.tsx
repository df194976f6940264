import classes from './select-box.module.css';

interface SelectBoxProps {
  label: string;
  checked: boolean;
  /** Whether only some of what it stands for is selected. */
  indeterminate?: boolean;
  onChange: (checked: boolean) => void;
  tabIndex?: number;
}

/** A single element, since a list may have two hundred of them. */
export const SelectBox = ({ label, checked, indeterminate = false, onChange, tabIndex }: SelectBoxProps) => (
  <input
    type="checkbox"
    className={classes.box}
    aria-label={label}
    checked={checked}
    tabIndex={tabIndex}
    ref={(element) => {
      if (element !== null) element.indeterminate = indeterminate;
    }}
    onChange={({ currentTarget }) => onChange(currentTarget.checked)}
  />
);
