import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldErrors } from "~/api/errors";
import type { DatasetLabel } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Table } from "~/components/lists/Table";
import { Section } from "~/components/Section";
import { useFindLabelBy, useRename, useShowLabelAs } from "./calls";
import { useLoadedDataset } from "./DatasetLayout";
import classes from "./Datasets.module.css";

/** The labels' names for experts, and the dataset's title. */
export default function LabelsTab() {
  const dataset = useLoadedDataset();
  return (
    <>
      <Section title={t`Labels`}>
        <p>
          <Trans>
            Experts see the display name if there is one. Imports, analyses and exports use the
            imported name. Once a study on this dataset has started, display names can no longer be
            changed. Search words are words that experts can type to find a label, such as “tenant”
            for housing. You can change them at any time.
          </Trans>
        </p>
        <Table
          caption={t`Labels`}
          rows={dataset.label_set}
          keyOf={({ position }) => position}
          columns={[
            { name: t`Imported name`, heads: true, cell: ({ name }) => name },
            {
              name: t`Display name`,
              cell: (label) => <DisplayName slug={dataset.slug} label={label} />,
            },
            {
              name: t`Search words`,
              cell: (label) => <SearchWords slug={dataset.slug} label={label} />,
            },
            { name: t`Kind`, cell: kindInWords },
          ]}
        />
      </Section>
      <Section title={t`Title`}>
        <Title slug={dataset.slug} title={dataset.title} />
      </Section>
    </>
  );
}

function kindInWords({ exclusive, value }: DatasetLabel): string {
  if (exclusive) return t`Excludes all others`;
  return value === null ? "" : t`Point ${value} on the scale`;
}

function DisplayName({ slug, label }: { slug: string; label: DatasetLabel }) {
  const [name, setName] = useState(label.display_name ?? "");
  const save = useShowLabelAs(slug, label.position);
  const wrong = fieldErrors(save.error).display_name;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!save.isPending) save.mutate(name.trim());
  }

  return (
    <form className={classes.rename} onSubmit={submit}>
      <TextInput
        aria-label={t`Display name of ${label.name}`}
        placeholder={label.name}
        value={name}
        maxLength={200}
        onChange={(event) => {
          save.reset();
          setName(event.currentTarget.value);
        }}
        error={wrong}
      />
      {name.trim() !== (label.display_name ?? "") && (
        <Button type="submit" variant="default" disabled={save.isPending}>
          <Trans>Save</Trans>
        </Button>
      )}
      {save.isSuccess && (
        <span role="status">
          <Trans>✓ Saved</Trans>
        </span>
      )}
      {save.error && !wrong && <ErrorNotice title={t`The name was not saved`} error={save.error} />}
    </form>
  );
}

function SearchWords({ slug, label }: { slug: string; label: DatasetLabel }) {
  const stored = label.search_words.join(", ");
  const [typed, setTyped] = useState(stored);
  const save = useFindLabelBy(slug, label.position);
  const words = typed
    .split(/[,;\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");
  const wrong = fieldErrors(save.error).search_words;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!save.isPending) save.mutate(words);
  }

  return (
    <form className={classes.rename} onSubmit={submit}>
      <Textarea
        aria-label={t`Search words for ${label.name}, separated by commas`}
        value={typed}
        onChange={(event) => {
          save.reset();
          setTyped(event.currentTarget.value);
        }}
        error={wrong}
        autosize
        minRows={1}
        maxRows={4}
        dir="auto"
      />
      {words.join(", ") !== stored && (
        <Button type="submit" variant="default" disabled={save.isPending}>
          <Trans>Save</Trans>
        </Button>
      )}
      {save.isSuccess && (
        <span role="status">
          <Trans>✓ Saved</Trans>
        </span>
      )}
      {save.error && !wrong && (
        <ErrorNotice title={t`The search words were not saved`} error={save.error} />
      )}
    </form>
  );
}

function Title({ slug, title }: { slug: string; title: string }) {
  const [wanted, setWanted] = useState(title);
  const save = useRename(slug);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!save.isPending) save.mutate(wanted.trim());
  }

  return (
    <form className={classes.filters} onSubmit={submit}>
      <TextInput
        label={t`Title of the dataset`}
        value={wanted}
        maxLength={200}
        onChange={(event) => {
          save.reset();
          setWanted(event.currentTarget.value);
        }}
        error={fieldErrors(save.error).title}
      />
      <div>
        <Button type="submit" variant="default" disabled={wanted.trim() === title}>
          <Trans>Save the title</Trans>
        </Button>
      </div>
      {save.error && <ErrorNotice title={t`The title was not saved`} error={save.error} />}
    </form>
  );
}
