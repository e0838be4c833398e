import { t } from "@lingui/core/macro";
import { Checkbox, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { defaultInWords, type Field, type FormValues, rangeInWords } from "./fields";
import classes from "./SchemaFields.module.css";

type Props = {
  fields: readonly Field[];
  values: FormValues;
  problems: Record<string, string>;
  onChange: (values: FormValues) => void;
  /** Whether to show every field's default. */
  defaults?: boolean;
};

/** One input for each parameter declared by the server; nothing about them is known here. */
export function SchemaFields({ fields, values, problems, onChange, defaults = false }: Props) {
  return (
    <div className={classes.fields}>
      {fields.map((field) => (
        <SchemaField
          key={field.name}
          field={field}
          value={values[field.name]}
          problem={problems[field.name]}
          help={defaults ? withDefault(field) : field.help}
          onChange={(value) => onChange({ ...values, [field.name]: value })}
        />
      ))}
    </div>
  );
}

function withDefault(field: Field): string {
  const usual = defaultInWords(field);
  return usual ? `${field.help} ${t`Default: ${usual}.`}` : field.help;
}

type FieldProps = {
  field: Field;
  help: string;
  value: string | boolean | string[] | undefined;
  problem: string | undefined;
  onChange: (value: string | boolean | string[]) => void;
};

function SchemaField({ field, help, value, problem, onChange }: FieldProps) {
  const common = { label: field.title, description: help.trim() || undefined, error: problem };
  const text = typeof value === "string" ? value : "";
  switch (field.kind) {
    case "switch":
      return (
        <Checkbox
          {...common}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case "choice":
      return (
        <NativeSelect
          {...common}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          data={[
            ...(field.optional ? [{ value: "", label: t`(not set)` }] : []),
            ...field.options.map((option) => ({
              value: String(option.value),
              label: option.label,
            })),
          ]}
        />
      );
    case "choices":
      return (
        <Checkbox.Group {...common} value={Array.isArray(value) ? value : []} onChange={onChange}>
          <div className={classes.choices}>
            {field.options.map((option) => (
              <Checkbox key={option.label} value={String(option.value)} label={option.label} />
            ))}
          </div>
        </Checkbox.Group>
      );
    case "json":
      return (
        <Textarea
          {...common}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          spellCheck={false}
          rows={2}
        />
      );
    default:
      return (
        <TextInput
          {...common}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          inputMode={
            field.kind === "integer" ? "numeric" : field.kind === "number" ? "decimal" : "text"
          }
          placeholder={placeholderOf(field)}
          autoComplete="off"
        />
      );
  }
}

function placeholderOf(field: Field): string | undefined {
  if (field.kind === "texts") return t`separated by commas or semicolons`;
  return field.kind === "text" ? undefined : rangeInWords(field);
}
