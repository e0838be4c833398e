import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Erase } from "~/components/erasing/Erase";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Section } from "~/components/Section";
import { State } from "~/components/State";
import { moment, readable } from "~/components/words";
import { inARow } from "~/languages/formats";
import { useDeleteDataset, useUses } from "./calls";
import { useLoadedDataset } from "./DatasetLayout";
import { DeleteDialog } from "./DeleteDialog";
import { systemCount } from "./words";

/** What uses the dataset, where it came from, and deleting it. */
export default function UsesTab() {
  const dataset = useLoadedDataset();
  const uses = useUses(dataset.slug);
  if (uses.error) return <ErrorNotice title={t`The uses could not be loaded`} error={uses.error} />;
  if (!uses.data) return <Loading />;
  const { studies, hidden_studies, runs, imports } = uses.data;
  return (
    <>
      <Section title={t`Used by`}>
        <Table
          caption={t`Studies`}
          rows={studies}
          keyOf={({ slug }) => slug}
          empty={hidden_studies > 0 ? "" : t`No study uses this dataset.`}
          columns={[
            {
              name: t`Study`,
              heads: true,
              cell: ({ slug, title }) => <Link to={`/studies/${slug}`}>{title}</Link>,
            },
            { name: t`State`, cell: ({ state }) => <State state={state} /> },
          ]}
        />
        {hidden_studies > 0 && (
          <p>
            {plural(hidden_studies, {
              one: "# study that you cannot see uses it too.",
              other: "# studies that you cannot see use it too.",
            })}
          </p>
        )}
        <p>
          {runs === 0
            ? t`No analyses have been run on it yet.`
            : plural(runs, { one: "# analysis run.", other: "# analysis runs." })}{" "}
          <Link to={`/datasets/${dataset.slug}/analyses`}>
            <Trans>Analyses</Trans>
          </Link>
        </p>
      </Section>
      <Section title={t`Imported`}>
        <Table
          caption={t`Imported`}
          rows={imports}
          keyOf={(_, place) => place}
          empty={t`The history does not show where it came from.`}
          columns={[
            { name: t`When`, heads: true, cell: ({ at }) => moment(at) },
            { name: t`What`, cell: ({ what }) => whatInWords(what) },
            { name: t`Files`, cell: ({ files }) => files.join("; ") },
            { name: t`Systems`, cell: ({ systems }) => systems.join("; ") },
            { name: t`By`, cell: ({ by }) => by },
          ]}
        />
        {dataset.source && (
          <p>
            <Trans>
              Source: <bdi>{dataset.source}</bdi>
            </Trans>
          </p>
        )}
        {dataset.licence && (
          <p>
            <Trans>
              Licence: <bdi>{dataset.licence}</bdi>
            </Trans>
          </p>
        )}
      </Section>
      {dataset.may_delete && <Delete runs={runs} />}
    </>
  );
}

function whatInWords(what: string): string {
  if (what === "dataset") return t`Dataset`;
  return what === "predictions" ? t`Predictions` : readable(what);
}

function Delete({ runs }: { runs: number }) {
  const dataset = useLoadedDataset();
  const [asking, setAsking] = useState(false);
  const remove = useDeleteDataset(dataset.slug);
  const navigate = useNavigate();
  const goes = inARow([
    plural(dataset.instances, { one: "# text", other: "# texts" }),
    plural(systemCount(dataset), {
      one: "the predictions of # system",
      other: "the predictions of # systems",
    }),
    plural(runs, { one: "# analysis run", other: "# analysis runs" }),
  ]);
  return (
    <Section title={t`Delete`}>
      <p>
        {dataset.studies > 0
          ? t`This dataset is used by a study and cannot be deleted. Delete its studies first.`
          : t`Nothing uses this dataset. It can be deleted.`}
      </p>
      {dataset.studies === 0 && (
        <div>
          <Button variant="default" onClick={() => setAsking(true)}>
            <Trans>Delete this dataset…</Trans>
          </Button>
        </div>
      )}
      <div>
        <Erase
          target={{ what: "dataset", dataset: dataset.slug }}
          name={dataset.title}
          onGone={() => void navigate("/datasets")}
        />
      </div>
      <DeleteDialog
        opened={asking}
        title={t`Delete ${dataset.title}`}
        goes={t`This permanently deletes ${goes}. The history still shows that they existed.`}
        change={remove}
        onGo={() => remove.mutate(undefined, { onSuccess: () => void navigate("/datasets") })}
        onClose={() => setAsking(false)}
      />
    </Section>
  );
}
