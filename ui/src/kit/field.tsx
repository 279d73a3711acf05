import { useId, type ReactNode } from 'react';
import {
  Input,
  Label,
  Switch as AriaSwitch,
  Text,
  TextArea,
  TextField,
  type TextFieldProps,
} from 'react-aria-components';
import styles from './field.module.css';

interface FieldProps extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  readonly label: string;
  readonly note?: ReactNode;
  readonly error?: string | null | undefined;
  readonly placeholder?: string;
  readonly lines?: number;
  readonly mono?: boolean;
  readonly hideLabel?: boolean;
}

/** A labelled text field. */
export function Field({ label, note, error, placeholder, lines, mono, hideLabel, ...rest }: FieldProps): ReactNode {
  const className = `${styles.input} ${mono ? styles.mono : ''}`;
  return (
    <TextField {...rest} isInvalid={Boolean(error)} className={styles.field ?? ''}>
      <Label className={hideLabel ? 'visually-hidden' : (styles.label ?? '')}>{label}</Label>
      {lines === undefined ? (
        <Input className={className} placeholder={placeholder ?? ''} />
      ) : (
        <TextArea className={className} rows={lines} placeholder={placeholder ?? ''} />
      )}
      {note !== undefined && (
        <Text slot="description" className={styles.note ?? ''}>
          {note}
        </Text>
      )}
      {error && (
        <Text slot="errorMessage" className={styles.error ?? ''}>
          {error}
        </Text>
      )}
    </TextField>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
  readonly hideLabel?: boolean;
  readonly isDisabled?: boolean;
}

/** A choice of one: the browser's own select, which works with every keyboard and screen reader. */
export function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
  hideLabel,
  isDisabled,
}: ChoiceProps<T>): ReactNode {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      <select
        id={id}
        className={styles.select}
        value={value}
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.value as T)}
      >
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface SwitchProps {
  readonly children: ReactNode;
  readonly isSelected: boolean;
  readonly onChange: (on: boolean) => void;
  readonly isDisabled?: boolean;
}

export function Switch({ children, isSelected, onChange, isDisabled = false }: SwitchProps): ReactNode {
  return (
    <AriaSwitch className={styles.switch ?? ''} isSelected={isSelected} onChange={onChange} isDisabled={isDisabled}>
      <span className={styles.track} />
      {children}
    </AriaSwitch>
  );
}

interface RowCheckProps {
  /** The name for screen readers, such as "Select worker 3". */
  readonly label: string;
  readonly isSelected: boolean;
  readonly onChange: () => void;
}

/** The check box that selects a row: it looks small, and takes the pointer all around. */
export const RowCheck = ({ label, isSelected, onChange }: RowCheckProps): ReactNode => (
  <label className={styles.rowCheck}>
    <input type="checkbox" aria-label={label} checked={isSelected} onChange={onChange} />
  </label>
);

/** An error message on a line of its own. */
export const ErrorLine = ({ children }: { children: ReactNode }): ReactNode =>
  children ? (
    <p role="alert" className={styles.errorLine}>
      {children}
    </p>
  ) : null;
