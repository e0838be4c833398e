import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Section } from "~/components/Section";
import { SimulatedMark } from "~/components/SimulatedMark";
import { counted } from "~/components/words";
import { useDeleteSystem, useSystems } from "./calls";
import { useLoadedDataset } from "./DatasetLayout";
import { DeleteDialog } from "./DeleteDialog";

/** The systems with their main metrics, the best first. */
export default function SystemsTab() {
  const dataset = useLoadedDataset();
  const systems = useSystems(dataset.slug);
  const [going, setGoing] = useState<string | null>(null);
  const remove = useDeleteSystem(dataset.slug);
  if (systems.error) {
    return <ErrorNotice title="The systems cannot be shown" error={systems.error} />;
  }
  if (!systems.data) return <Loading />;
  const { metrics } = systems.data;
  const [first] = metrics;
  return (
    <Section title="Systems">
      {first && systems.data.systems.length > 0 && (
        <p>
          The best by {first.title} stands first. The metrics are of the exact predictions, over the
          texts that each system predicts.
        </p>
      )}
      <Table
        caption="Systems and their main metrics"
        rows={systems.data.systems}
        keyOf={({ name }) => name}
        empty="No system predicts these texts yet. Import predictions to compare them with people."
        columns={[
          {
            name: "System",
            heads: true,
            cell: ({ name, is_simulated, missing }) => (
              <>
                {name} {is_simulated && <SimulatedMark />}
                {missing > 0 && <span className="soft small"> ({missing} texts missing)</span>}
              </>
            ),
          },
          ...metrics.map((metric) => ({
            name: `${metric.title} ${metric.orientation === "higher" ? "↑" : "↓"}`,
            numeric: true,
            cell: (row: (typeof systems.data.systems)[number]) =>
              row.metrics[metric.name]?.toFixed(3) ?? "undefined",
          })),
          {
            name: "Texts",
            cell: ({ name }) => (
              <Link
                to={`/datasets/${dataset.slug}?${new URLSearchParams({ order: "worst", system: name })}`}
                aria-label={`Worst texts of ${name}`}
              >
                Worst texts
              </Link>
            ),
          },
          ...(dataset.may_delete
            ? [
                {
                  name: "Delete",
                  cell: ({ name }: { name: string }) => (
                    <Button
                      variant="subtle"
                      size="compact-sm"
                      aria-label={`Delete ${name}`}
                      onClick={() => setGoing(name)}
                    >
                      Delete…
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
      />
      {dataset.predicted_annotations.length > 0 && (
        <p className="soft">
          {counted(dataset.predicted_annotations.length, "system")} also predict single annotations:{" "}
          {dataset.predicted_annotations.map(({ name }) => name).join("; ")}.
        </p>
      )}
      <DeleteDialog
        opened={going !== null}
        title={`Delete ${going ?? ""}`}
        goes="Its predictions go, and with them all analyses of this dataset. It can be imported again from its files. Nothing goes that a study compares."
        change={remove}
        onGo={() => going && remove.mutate(going, { onSuccess: () => setGoing(null) })}
        onClose={() => setGoing(null)}
      />
    </Section>
  );
}
