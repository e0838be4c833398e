import { FileInput, Textarea } from "@mantine/core";
import { isTable, type Whom } from "./whom";

type Props = {
  whom: Whom;
  onChange: (whom: Whom) => void;
  error?: string | undefined;
  withRoles?: boolean;
  autoFocus?: boolean;
};

/** A list to paste, or a table: pasted too, or as a file. */
export function WhomFields({ whom, onChange, error, withRoles = false, autoFocus = false }: Props) {
  const columns = withRoles ? "email, name and role" : "email and name";
  return (
    <>
      <Textarea
        label="E-mail addresses"
        description="One a line, or separated by commas. Names may stand before <address>."
        value={whom.typed}
        onChange={(event) => onChange({ ...whom, typed: event.currentTarget.value })}
        error={error}
        autosize
        minRows={4}
        maxRows={14}
        disabled={whom.file !== null}
        required={whom.file === null}
        withAsterisk={false}
        autoFocus={autoFocus}
      />
      {whom.file === null && isTable(whom.typed) && (
        <p role="status" className="soft small">
          This is read as a table, with the columns {columns}.
        </p>
      )}
      <FileInput
        label="Or a table (CSV)"
        description={`Columns ${columns}, named in its first line. Only email must be there.`}
        placeholder="Choose a file"
        accept=".csv,.tsv,.txt,text/csv"
        clearable
        clearButtonProps={{ "aria-label": "Remove the table" }}
        onChange={(file) => {
          if (file === null) return onChange({ ...whom, file: null });
          void file.text().then((text) => onChange({ ...whom, file: { name: file.name, text } }));
        }}
      />
    </>
  );
}
