import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Section } from "~/components/Section";
import { State } from "~/components/State";
import { counted, moment, readable } from "~/components/words";
import { useDeleteDataset, useUses } from "./calls";
import { useLoadedDataset } from "./DatasetLayout";
import { DeleteDialog } from "./DeleteDialog";
import { systemCount } from "./words";

/** Who uses the dataset, where it came from, and how it goes. */
export default function UsesTab() {
  const dataset = useLoadedDataset();
  const uses = useUses(dataset.slug);
  if (uses.error) return <ErrorNotice title="The uses cannot be shown" error={uses.error} />;
  if (!uses.data) return <Loading />;
  const { studies, hidden_studies, runs, imports } = uses.data;
  return (
    <>
      <Section title="Used by">
        <Table
          caption="Studies"
          rows={studies}
          keyOf={({ slug }) => slug}
          empty={hidden_studies > 0 ? "" : "No study uses this dataset."}
          columns={[
            {
              name: "Study",
              heads: true,
              cell: ({ slug, title }) => <Link to={`/studies/${slug}`}>{title}</Link>,
            },
            { name: "State", cell: ({ state }) => <State state={state} /> },
          ]}
        />
        {hidden_studies > 0 && (
          <p>{counted(hidden_studies, "study", "studies")} of other people use it too.</p>
        )}
        <p>
          {runs === 0 ? "Nothing was computed from it yet. " : `${counted(runs, "analysis run")}. `}
          <Link to={`/datasets/${dataset.slug}/analyses`}>Analyses</Link>
        </p>
      </Section>
      <Section title="Imported">
        <Table
          caption="Imported"
          rows={imports}
          keyOf={(_, place) => place}
          empty="The log does not say where it came from."
          columns={[
            { name: "When", heads: true, cell: ({ at }) => moment(at) },
            { name: "What", cell: ({ what }) => readable(what) },
            { name: "Files", cell: ({ files }) => files.join("; ") },
            { name: "Systems", cell: ({ systems }) => systems.join("; ") },
            { name: "By", cell: ({ by }) => by },
          ]}
        />
        {dataset.source && <p>Source: {dataset.source}</p>}
        {dataset.licence && <p>Licence: {dataset.licence}</p>}
      </Section>
      {dataset.may_delete && <Delete runs={runs} />}
    </>
  );
}

function Delete({ runs }: { runs: number }) {
  const dataset = useLoadedDataset();
  const [asking, setAsking] = useState(false);
  const remove = useDeleteDataset(dataset.slug);
  const navigate = useNavigate();
  const goes = [
    counted(dataset.instances, "text"),
    `the predictions of ${counted(systemCount(dataset), "system")}`,
    counted(runs, "analysis run"),
  ].join(", ");
  return (
    <Section title="Delete">
      <p>
        {dataset.studies > 0
          ? "A dataset that a study uses stays. Delete its studies first."
          : "Nothing uses this dataset. It can be deleted."}
      </p>
      {dataset.studies === 0 && (
        <div>
          <Button variant="default" onClick={() => setAsking(true)}>
            Delete this dataset…
          </Button>
        </div>
      )}
      <DeleteDialog
        opened={asking}
        title={`Delete ${dataset.title}`}
        goes={`These go for good: ${goes}. The log keeps that they were here.`}
        change={remove}
        onGo={() => remove.mutate(undefined, { onSuccess: () => void navigate("/datasets") })}
        onClose={() => setAsking(false)}
      />
    </Section>
  );
}
