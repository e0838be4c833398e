import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { FileInput, Textarea } from "@mantine/core";
import { isTable, type Whom } from "./whom";

type Props = {
  whom: Whom;
  onChange: (whom: Whom) => void;
  error?: string | undefined;
  withRoles?: boolean;
  autoFocus?: boolean;
};

/** Fields for a pasted list, or for a table, pasted or as a file. */
export function WhomFields({ whom, onChange, error, withRoles = false, autoFocus = false }: Props) {
  const columns = withRoles ? t`email, name and role` : t`email and name`;
  return (
    <>
      <Textarea
        label={t`E-mail addresses`}
        description={t`One per line, or separated by commas. A name may come first: Erin <erin@example.org>.`}
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
          <Trans>This is read as a table, with the columns {columns}.</Trans>
        </p>
      )}
      <FileInput
        label={t`Or a table (CSV)`}
        description={t`The first line lists the columns: ${columns}. Only email is required.`}
        placeholder={t`Choose a file`}
        accept=".csv,.tsv,.txt,text/csv"
        clearable
        clearButtonProps={{ "aria-label": t`Remove the table` }}
        onChange={(file) => {
          if (file === null) return onChange({ ...whom, file: null });
          void file.text().then((text) => onChange({ ...whom, file: { name: file.name, text } }));
        }}
      />
    </>
  );
}
